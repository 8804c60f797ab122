"""The command `check`."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .ending.refusals import Refusal, UnreadableRefusal
from .outputs.fixing import diff_text, left_lines, mended_files, write_mended
from .outputs.output import chosen_form, encoded, paint_for, write_result
from .outputs.overwriting import refuse_input
from .words.options import color_option, debug_option, device_option, output_option, root_option, version
from .words.studies import STDIN, stdin_text

if TYPE_CHECKING:
    from megasolve.contracts import CheckReport
    from megasolve.report import Paint

FORMATS = ("text", "json", "github", "sarif", "junit")
FINDINGS = 1


@click.command(short_help="Find faults in specs, contracts and records.", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("-f", "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="The form of the findings.")
@click.option(
    "--stdin-filename",
    metavar="FILE",
    help="With PATH - (stdin): the file that it would be; what a spec names is looked up from there.",
)
@device_option
@root_option
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    metavar="FILE",
    help="Compare contracts and records of specs with this profile, not with those that the specs name; may be given several times.",
)
@click.option(
    "--fail-on",
    type=click.Choice(("error", "warning", "never")),
    default="error",
    show_default=True,
    help="Exit with 1 for findings of this severity or worse.",
)
@click.option(
    "--statistics", "has_statistics", is_flag=True, help="Show how often each rule is broken, not where (text only; JSON always has it)."
)
@click.option("--fix", "is_fixing", is_flag=True, help="Mend what has one safe repair, after showing it as a diff, and check again.")
@click.option("--diff", "is_diff", is_flag=True, help="Show what --fix would change, and nothing else; exit with 1 if it would.")
@output_option
@color_option
@debug_option
def check(
    *,
    paths: tuple[str, ...],
    form: str,
    stdin_filename: str | None,
    device: str | None,
    root: str | None,
    profiles: tuple[str, ...],
    fail_on: str,
    has_statistics: bool,
    is_fixing: bool,
    is_diff: bool,
    output: str | None,
) -> None:
    """Find faults in specs, contracts, records and device files, each with its place and its repair.

    A folder is searched for *.yaml, *.yml and *.jsonl; - is stdin. A spec brings in every file that it names; a contract that no spec
    reaches is checked alone, and against a device only with --device. Where a spec names profiles of what ran, its contracts and
    records are compared with them.
    """
    form = chosen_form(form, output)
    if has_statistics and form not in ("text", "json"):
        raise click.UsageError(f"--statistics is a table of text; --format json has it, too, {form} has no place for it")
    texts = _stdin(paths, stdin_filename)
    named = tuple(dict.fromkeys((*(path for path in paths if path != STDIN), *texts)))
    report = _checked(named, device, profiles, root, texts)
    if is_fixing or is_diff:
        if texts:
            raise click.UsageError("--fix and --diff are for files, not for stdin")
        changes = mended_files(report)
        for line in left_lines(report):
            click.echo(line, err=True)
        if is_diff:
            write_result(diff_text(changes), output)
            raise click.exceptions.Exit(FINDINGS if changes else 0)
        # Shown before anything is written; the result of the check stays alone on stdout.
        click.echo(diff_text(changes), err=True, nl=False)
        write_mended(changes)
        report = _checked(named, device, profiles, root, texts)
    refuse_input(output, (*report.files, *profiles))
    rendered = _rendered("statistics" if has_statistics and form == "text" else form, report, device, paint=paint_for(output))
    write_result(rendered, output)
    if form == "github" and (summary := os.environ.get("GITHUB_STEP_SUMMARY")):
        _append_summary(report, summary)
    if report.unreadable:
        raise UnreadableRefusal(report, has_shown_findings=True)
    if _is_failing(report, fail_on):
        raise click.exceptions.Exit(FINDINGS)


def _stdin(paths: tuple[str, ...], stdin_filename: str | None) -> dict[str, str]:
    """Return the text of stdin by its name where it is one of *paths*, else nothing."""
    if STDIN in paths:
        return {stdin_filename or "<stdin>": stdin_text("file")}
    if stdin_filename is not None:
        raise click.UsageError("--stdin-filename is only for a file from stdin: PATH -")
    return {}


def _checked(paths: tuple[str, ...], device: str | None, profiles: tuple[str, ...], root: str | None, texts: dict[str, str]) -> CheckReport:
    from megasolve.contracts import CheckIncomplete, MegasolveError, check_paths

    try:
        return check_paths(paths, device=device, profiles=profiles, root=root, texts=texts)
    except CheckIncomplete as incomplete:
        return incomplete.report
    except MegasolveError as error:
        raise Refusal(str(error)) from None


def _rendered(form: str, report: CheckReport, device: str | None, *, paint: Paint) -> str:
    from megasolve import report as render

    match form:
        case "json":
            return render.check_json(report, commands=_measuring_commands(report, device))
        case "github":
            return render.check_github(report)
        case "sarif":
            return render.check_sarif(report, version())
        case "junit":
            return render.check_junit(report)
        case "statistics":
            return render.check_statistics(report, paint=paint)
        case _:
            return render.check_text(report, commands=_measuring_commands(report, device), paint=paint)


def _measuring_commands(report: CheckReport, device: str | None) -> dict[str, str]:
    """Return by which command the derived times of a spec are measured, by its file, where its contracts name what runs their kernels."""
    options = ["--device", device] if device else []
    found = (one.spec.file for one in report.unmeasured if one.can_be_measured)
    return {file: shlex.join(["megasolve", "measure", file, *options]) for file in found}


def _append_summary(report: CheckReport, summary: str) -> None:
    from megasolve.report import github_summary

    try:
        with Path(summary).open("ab") as stream:
            stream.write(encoded(github_summary(report)))
    except OSError as error:
        raise Refusal(f"cannot write GITHUB_STEP_SUMMARY {summary}: {error.strerror or error}") from None


def _is_failing(report: CheckReport, fail_on: str) -> bool:
    severities = {finding.severity.value for finding in report.findings} | {severity.value for _, severity in report.further}
    return bool(severities & {"error": {"error"}, "warning": {"error", "warning"}, "never": set()}[fail_on])
