"""The command `explain`."""

from __future__ import annotations

from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click

from .ending.no_candidate import refuse_no_best
from .outputs.output import chosen_form, paint_for, write_text
from .outputs.overwriting import files_of, refuse_input
from .words.assuming import assume_option, with_asked_assumptions
from .words.completion import candidates_like
from .words.derivation import asked_effects, deriving, schedule_options, warn_of_cache
from .words.options import (
    color_option,
    debug_option,
    device_option,
    output_option,
    root_option,
    simulated_hardware_option,
    spec_argument,
)
from .words.studies import OBJECTIVES, one_batch, read_study, refuse_impossible, refuse_impossible_size

if TYPE_CHECKING:
    from megasolve.report import Paint
    from megasolve.solver import Explanation, UnknownCandidate, WhyNot


@click.command(short_help="Say why a candidate stands where it does.", context_settings={"help_option_names": ["-h", "--help"]})
@spec_argument
@click.argument("candidate", metavar="ID", shell_complete=candidates_like)
@click.option("--batch", type=int, help="The batch size to explain; needed where the spec has several.")
@click.option("--objective", type=click.Choice(OBJECTIVES), help="Explain this time; the default is the objective of the spec.")
@assume_option
@device_option
@root_option
@simulated_hardware_option
@schedule_options
@click.option(
    "-f", "--format", "form", type=click.Choice(("table", "json")), default="table", show_default=True, help="The form of the result."
)
@click.option("--variants", "show_variants", is_flag=True, help="List every choice of entries with its score; JSON always holds all.")
@click.option(
    "--entries", "show_entries", is_flag=True, help="List every kernel, and every entry that fits a region; JSON always holds all."
)
@click.option("--timeline", "show_timeline", is_flag=True, help="Draw what runs when, as wide as the terminal.")
@output_option
@color_option
@debug_option
def explain(
    *,
    spec: str,
    candidate: str,
    stdin_filename: str | None,
    batch: int | None,
    objective: str | None,
    assume: str | None,
    device: str | None,
    root: str | None,
    allow_simulated_hardware: bool,
    without: tuple[str, ...],
    refresh: bool,
    no_cache: bool,
    jobs: int | None,
    dask: str | None,
    form: str,
    show_variants: bool,
    show_entries: bool,
    show_timeline: bool,
    output: str | None,
) -> None:
    """Say why the candidate ID of SPEC (- for stdin; the word best is one) scores what it scores, or everything that excludes it.

    An id looks like m:P/m:B+L/m:C@dynamic:88/44: regions in order, c: conventional or m: megakernel, and the policy. An
    unknown id gives the nearest ones and exits with 1.
    """
    form = chosen_form(form, output)
    if show_timeline and form == "json":
        raise click.UsageError("--timeline draws in characters; trace writes what runs when as JSON")
    study = read_study(spec, device, stdin_filename, root=root, allow_simulated_hardware=allow_simulated_hardware)
    study = with_asked_assumptions(study, assume)
    refuse_input(output, files_of(study))
    asked = one_batch(study.spec.value, batch)
    refuse_impossible(study.spec.value, objective)
    refuse_impossible_size(study, whole=False)

    from megasolve.simulate import Objective
    from megasolve.solver import UnknownCandidate
    from megasolve.solver import explain as explain_candidate
    from megasolve.solver.timeline.drawn import BEST, best_of

    about_time, effects = Objective(objective) if objective else None, asked_effects(without)
    with deriving(without, refresh=refresh, no_cache=no_cache, jobs=jobs, dask=dask) as how:
        if candidate == BEST:
            candidate = best_of(study, batch=asked, objective=about_time, derivation=how, effects=effects)
        answer = explain_candidate(study, candidate, batch=asked, objective=about_time, derivation=how, effects=effects)
    refuse_no_best(answer, asked)
    about = {"spec": study.spec.value.name, "device": study.device.value.name}
    shown = {"show_variants": show_variants, "show_entries": show_entries}
    text = _json(answer, about) if form == "json" else _text(answer, about, shown, paint=paint_for(output))
    write_text(text + (_drawn(answer) if show_timeline else ""), form, output)
    warn_of_cache(how)
    if isinstance(answer, UnknownCandidate):
        raise click.exceptions.Exit(1)


def _json(answer: Explanation | WhyNot | UnknownCandidate, about: dict[str, str]) -> str:
    from megasolve.report import explanation_json, unknown_json, why_not_json
    from megasolve.solver import Explanation, WhyNot

    match answer:
        case Explanation():
            return explanation_json(answer, **about)
        case WhyNot():
            return why_not_json(answer, **about)
        case _:
            return unknown_json(answer)


def _text(answer: Explanation | WhyNot | UnknownCandidate, about: dict[str, str], shown: dict[str, bool], *, paint: Paint) -> str:
    from megasolve.report import explanation_text, unknown_text, why_not_text
    from megasolve.solver import Explanation, WhyNot

    match answer:
        case Explanation():
            return explanation_text(answer, spec=about["spec"], device=about["device"], **shown, paint=paint)
        case WhyNot():
            return why_not_text(answer, **about, paint=paint)
        case _:
            return unknown_text(answer)


def _drawn(answer: Explanation | WhyNot | UnknownCandidate) -> str:
    """Return the timeline of a candidate that has one, as wide as the terminal."""
    from megasolve.report.trace.drawing import chart_lines
    from megasolve.solver import Explanation
    from megasolve.solver.timeline.drawn import timeline_of

    if not isinstance(answer, Explanation):
        return ""
    drawn = chart_lines(timeline_of(answer.row, batch=answer.batch, objective=answer.objective).chart, get_terminal_size().columns)
    return "".join(f"{line}\n" for line in ("", "what runs when:", *drawn))
