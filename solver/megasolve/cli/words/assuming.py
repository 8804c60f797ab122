"""What a command is asked to assume of kernels that nobody built, or to assume nothing at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..ending.refusals import Refusal, show_findings

if TYPE_CHECKING:
    from megasolve.contracts import Document, Study
    from megasolve.contracts.model.contract import Assumptions

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
_EXCLUDED = "--measured-only and --assume exclude each other"


def assume_option(command: Decorated) -> Decorated:
    """Add --assume."""
    return click.option(
        "--assume",
        metavar="FILE",
        help="Plan also with megakernels that nobody built, as the list of assumptions in FILE says; every row with one is labelled so.",
    )(command)


def measured_only_option(command: Decorated) -> Decorated:
    """Add --measured-only."""
    return click.option(
        "--measured-only",
        is_flag=True,
        help="Plan only with records that were measured or profiled; a study in which something is assumed is refused.",
    )(command)


def asked_assumptions(assume: str | None, *, measured_only: bool) -> Document[Assumptions] | None:
    """Return what the file *assume* says, for many studies.

    Raises
    ------
    Refusal
        The file cannot be used.
    """
    if measured_only and assume is not None:
        raise click.UsageError(_EXCLUDED)
    return None if assume is None else _read(assume)


def with_asked_assumptions(study: Study, assume: str | None, *, measured_only: bool = False) -> Study:
    """Return *study* with what the file *assume* says; with *measured_only*, without all that nobody measured.

    Raises
    ------
    Refusal
        The file cannot be used, or something is assumed where only what was measured is wanted.
    """
    if measured_only:
        return _measured(study, assume)
    if assume is None:
        return study
    from megasolve.contracts.check.assumed import unknown_fusions
    from megasolve.solver.assuming.expanded import with_assumed_file

    document = _read(assume)
    for path, message in unknown_fusions(study.spec.value, document.value.assume):
        click.echo(f"{document.place(('assume', *path))}: warning: {message}", err=True)
    return with_assumed_file(study, document)


def _read(file: str) -> Document[Assumptions]:
    from megasolve.contracts import UnreadableFile, read_document
    from megasolve.contracts.model.contract import Assumptions

    try:
        document, findings = read_document(file)
    except UnreadableFile as error:
        raise Refusal(str(error)) from None
    if document is None:
        show_findings(findings)
        raise Refusal(f"--assume {file}: has faults")
    if not isinstance(document.value, Assumptions):
        raise Refusal(f"--assume {file}: is no list of assumptions; such a file begins with 'megasolve: assume/v1'")
    return document


def _measured(study: Study, assume: str | None) -> Study:
    from megasolve.solver.assuming.measured import first_assumed, measured_of

    if assume is not None:
        raise click.UsageError(_EXCLUDED)
    if place := first_assumed(study):
        raise Refusal(
            f"{place}: is assumed, and --measured-only asks for what was measured alone; remove it, or plan without --measured-only"
        )
    return measured_of(study)
