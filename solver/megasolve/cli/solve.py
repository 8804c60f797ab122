"""The command `solve`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from .ending.interrupts import deferred, is_interrupted
from .outputs.answers import Answers, lines_to
from .outputs.output import asked_options, chosen_form, paint_for, stamp_of, write_text
from .outputs.overwriting import files_of, refuse_input
from .progress import Bar
from .words.assuming import assume_option, measured_only_option, with_asked_assumptions
from .words.derivation import asked_effects, deriving, schedule_options, warn_of_cache
from .words.ending_lines import ENDED, ending_of
from .words.many import LINES, asked_of_all, asked_store, is_many, refuse_of_one, store_options
from .words.options import (
    color_option,
    debug_option,
    device_option,
    is_progress_wanted,
    output_option,
    root_option,
    set_option,
    simulated_hardware_option,
    specs_argument,
)
from .words.studies import (
    CAPACITY,
    OBJECTIVES,
    asked_front,
    asked_limit,
    asked_where,
    chosen_batches,
    read_study,
    refuse_impossible,
    refuse_impossible_size,
    refuse_no_number,
)

if TYPE_CHECKING:
    from megasolve.contracts import Stamp, Study
    from megasolve.report import Paint
    from megasolve.solver import AskedStudies, Effort, FieldTurns, How, Result, State, Store

ABLATIONS = ("full", "additive", "no_overlap")
FORMATS = ("table", "json", "csv", "markdown", LINES)
MOST_ROWS = 10_000
FAILURES = ("infeasible", "finding")


@click.command(short_help="Rank every supported composition of a model.", context_settings={"help_option_names": ["-h", "--help"]})
@specs_argument
@click.option("--batch", type=int, multiple=True, help="Plan for this batch size only; may be given several times.")
@click.option(
    "--objective",
    type=click.Choice((*OBJECTIVES, CAPACITY)),
    multiple=True,
    help="Rank by this time, equals by the next one given; the default is the objective of the spec. With capacity, also by how many "
    "streams each design serves.",
)
@click.option(
    "--where", metavar="CONSTRAINT", multiple=True, help="Rank only what keeps to this, too: 'new_megakernels<=1'; may be given often."
)
@click.option("--pareto", metavar="TIME,TIME", callback=asked_front, help="Show the exact front of these times; rank by them in order.")
@click.option(
    "--ablation",
    type=click.Choice(ABLATIONS),
    default="full",
    show_default=True,
    help="Score as the planner does (full), by the sum of service and dispatch (additive), or with nothing side by side (no_overlap).",
)
@set_option
@click.option(
    "--solve-for",
    "solved_for",
    metavar="PATH",
    multiple=True,
    help="Find the values of this field at which another design becomes the best, exactly; may be given often.",
)
@assume_option
@measured_only_option
@device_option
@root_option
@simulated_hardware_option
@schedule_options
@store_options
@click.option("-f", "--format", "form", type=click.Choice(FORMATS), default="table", show_default=True, help="The form of the result.")
@click.option(
    "--all",
    "show_all",
    is_flag=True,
    help="Show every candidate in a table or Markdown (JSON and CSV always hold all), and rank up to 100,000 of them, where else the best "
    "of more than 2,000 are searched.",
)
@click.option(
    "--top",
    type=click.IntRange(1, MOST_ROWS),
    default=10,
    show_default=True,
    metavar="K",
    help="In a space that is too large to rank, find and prove the K best designs.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(0, min_open=True),
    metavar="S",
    callback=asked_limit,
    help="Search each batch for at most S seconds, and say what is proven by then.",
)
@click.option("--variants", "show_variants", is_flag=True, help="Show every choice of entries of the candidates; JSON always holds all.")
@click.option("--entries", "show_entries", is_flag=True, help="Show where each entry stands and what keeps it out; JSON always says it.")
@click.option(
    "--fail-on",
    type=click.Choice(FAILURES),
    default=FAILURES[0],
    show_default=True,
    help="Exit with 1 where a batch has no feasible candidate (infeasible), or also where the best one has a finding (finding).",
)
@output_option
@color_option
@debug_option
def solve(
    *,
    specs: tuple[str, ...],
    stdin_filename: str | None,
    batch: tuple[int, ...],
    objective: tuple[str, ...],
    where: tuple[str, ...],
    pareto: tuple[str, ...],
    ablation: str,
    settings: tuple[str, ...],
    solved_for: tuple[str, ...],
    assume: str | None,
    measured_only: bool,
    device: str | None,
    root: str | None,
    allow_simulated_hardware: bool,
    without: tuple[str, ...],
    refresh: bool,
    no_cache: bool,
    jobs: int | None,
    dask: str | None,
    store: str | None,
    resume: bool,
    form: str,
    show_all: bool,
    top: int,
    time_limit: float | None,
    show_variants: bool,
    show_entries: bool,
    fail_on: str,
    output: str | None,
) -> None:
    """Rank every supported composition of the model in the file SPEC (- for stdin), per batch size.

    Of several specs the answer is JSON lines, one for each batch, in the order asked: what --format json prints of that batch alone, or why
    there is none. They are planned side by side, and what is finished is kept: --resume goes on where a run ended.

    A space of more than 2,000 candidates is not ranked whole: its best designs are found and proven. An interrupt then ends the search
    with what was found. Exits with 1 if a batch has no feasible candidate; all causes are then printed. What is wrong with the best one, as
    sound that stops, is a finding with a code, and no failure unless --fail-on finding says so.
    """
    if is_many(specs, form, needs_lines=store is not None or resume):
        refuse_of_one(specs, objective, solved_for, stdin_filename)
        refuse_input(output, specs)
        asked = asked_of_all(click.get_current_context().params, asked_options())
        kept = asked_store(store, resume=resume, no_cache=no_cache)
        bar = Bar()
        with deriving(without, refresh=refresh, no_cache=no_cache, jobs=jobs, dask=dask, bar=bar) as derivation:
            code = _solve_many(specs, replace(asked, derivation=derivation), kept, bar, resume=resume, output=output, fail_on=fail_on)
        raise click.exceptions.Exit(code)
    (spec,) = specs
    study = read_study(spec, device, stdin_filename, root=root, allow_simulated_hardware=allow_simulated_hardware, settings=settings)
    study = with_asked_assumptions(study, assume, measured_only=measured_only)
    refuse_input(output, files_of(study))
    batches = chosen_batches(study.spec.value, batch)
    _refuse_unanswerable(study, objective, pareto, solved_for, ablation, whole=show_all)
    from megasolve.simulate import Ablation, Objective
    from megasolve.solver import How
    from megasolve.solver import solve as solve_study

    goals = asked_where(study, where)
    with deriving(without, refresh=refresh, no_cache=no_cache, jobs=jobs, dask=dask) as derivation:
        result = solve_study(
            study,
            batches=batches,
            objective=objective,
            where=goals,
            pareto=[Objective(one) for one in pareto],
            ablation=Ablation(ablation),
            progress=_progress() if is_progress_wanted() else None,
            derivation=derivation,
            effects=asked_effects(without),
            effort=_effort(top, time_limit, whole=show_all),
        )
        turns = _turns(study, solved_for, result, How(derivation, asked_effects(without), goals))
        form = chosen_form(form, output)
        is_plain = result.is_feasible and not (where or pareto or without) and ablation == "full"
        end = ending_of(study, spec, batches, objective, derivation) if is_plain and form in ENDED else []
    shown = {"show_variants": show_variants, "show_entries": show_entries}
    stamp = stamp_of(study, () if assume is None else (assume,)) if form == "json" else None
    text = _rendered(result, form, shown, stamp, turns, show_all=show_all, paint=paint_for(output))
    write_text(f"{text}{ENDED[form].join(end)}\n" if end else text, form, output)
    warn_of_cache(derivation)
    if not result.is_feasible or (result.has_findings and fail_on != FAILURES[0]):
        raise click.exceptions.Exit(1)


def _solve_many(
    specs: Sequence[str], asked: AskedStudies, store: Store | None, bar: Bar, *, resume: bool, output: str | None, fail_on: str
) -> int:
    """Plan all *specs*, write a line for each batch, and return the exit code."""
    from megasolve.report import solved_line
    from megasolve.solver import ProcessPool, solve_studies

    executor = asked.derivation.pool
    # The workers of a cluster need not see the files.
    with lines_to(output) as write, ProcessPool() as beside:
        answers = Answers(write, bar.clear, fails_on_findings=fail_on != FAILURES[0])
        opener = executor if isinstance(executor, ProcessPool) else beside
        solve_studies(
            specs, asked, answers.tell, written=solved_line, executor=executor, opener=opener, store=store, resume=resume, watch=bar.show
        )
    if store is not None and store.warning:
        answers.warn(f"Warning: {store.warning}")
    return answers.exit_code


def _refuse_unanswerable(
    study: Study, objective: Sequence[str], pareto: Sequence[str], solved_for: Sequence[str], ablation: str, *, whole: bool
) -> None:
    """Refuse what the spec, or the size of its space, gives no answer to."""
    for one in objective:
        refuse_impossible(study.spec.value, one)
    for one in pareto:
        refuse_impossible(study.spec.value, one, "--pareto")
    refuse_impossible_size(study, whole=whole)
    refuse_no_number(study, solved_for)
    if solved_for and ablation != "full":
        raise click.UsageError("--solve-for is of the full planner: leave out --ablation")


def _effort(top: int, seconds: float | None, *, whole: bool) -> Effort:
    """Return how a large space is searched, seen on stderr and ended by an interrupt."""
    from megasolve.solver import Effort

    return Effort(top, seconds, whole, is_interrupted, _watch if is_progress_wanted() else None, deferred)


def _progress() -> Callable[[str], None]:
    return lambda line: click.echo(f"solving {line} ...", err=True)


def _watch(state: State) -> None:
    """Write on stderr how far a search is."""
    from megasolve.report import state_line

    click.echo(f"\r\x1b[K{state_line(state)}", err=True, nl=False)
    if state.is_last:
        click.echo(err=True)


def _turns(study: Study, paths: Sequence[str], result: Result, how: How) -> list[FieldTurns]:
    """Return where the answer at each batch turns as the fields at *paths* change."""
    if not paths:
        return []
    from megasolve.contracts.fields.path import UnusableField
    from megasolve.solver import turns

    try:
        return [turns(study, path, one.objective, how, one.batch) for path in paths for one in result.results]
    except UnusableField as unusable:
        raise click.UsageError(f"--solve-for {unusable}") from None


def _rendered(
    result: Result, form: str, shown: Mapping[str, bool], stamp: Stamp | None, turns: Sequence[FieldTurns], *, show_all: bool, paint: Paint
) -> str:
    from megasolve import report

    match form:
        case "json":
            return report.solve_json(result, stamp, [report.turn_facts(one) for one in turns])
        case "csv":
            return report.solve_csv(result, report.turn_rows(turns), **shown)
        case "markdown":
            text = report.solve_markdown(result, show_all=show_all, **shown)
            return f"{text}\n{report.turns_markdown(turns)}" if turns else text
        case _:
            text = report.solve_table(result, **shown, show_all=show_all, paint=paint)
            return f"{text}\n{report.turns_text(turns)}" if turns else text
