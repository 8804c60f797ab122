"""From the words of a command to a checked study and the question asked of it."""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from ..ending.refusals import FindingsRefusal, Refusal, UnreadableRefusal, show_findings
from .no_spec import what_file, what_stdin

if TYPE_CHECKING:
    from megasolve.contracts import CheckFailed, Spec, Study
    from megasolve.solver.goals.stated import Where

STDIN = "-"
OBJECTIVES = ("first_publication", "producer_step", "chunk_interval")
CAPACITY = "capacity"
"""The objective that compares batches: no time of its own."""


def read_study(
    spec: str,
    device: str | None,
    stdin_filename: str | None = None,
    *,
    root: str | None = None,
    allow_simulated_hardware: bool | None = None,
    settings: Sequence[str] = (),
) -> Study:
    """Return the checked study of the spec named *spec*, or of stdin for ``-``; its warnings go to stderr.

    *root* widens where its names may lead. With *allow_simulated_hardware*, records of a stand-in for the hardware are no faults; None
    says that the command cannot allow them. *settings*, each PATH=VALUE, replace what the files have.

    Raises
    ------
    Refusal
        The files cannot be read, or have findings that make them unusable.
    """
    from megasolve.contracts import CheckFailed, CheckIncomplete, MegasolveError, Severity, check_spec

    if stdin_filename is not None and spec != STDIN:
        raise click.UsageError("--stdin-filename is only for a spec from stdin: SPEC -")
    name = (stdin_filename or "<stdin>") if spec == STDIN else spec
    text = stdin_text() if spec == STDIN else None
    try:
        study, findings = check_spec(name, device=device, text=text, allow_simulated_hardware=bool(allow_simulated_hardware), root=root)
    except CheckFailed as failed:
        _refuse_other(spec, text)
        may_allow = allow_simulated_hardware is not None and _is_simulated_hardware_alone(failed)
        raise FindingsRefusal(name, failed, _again(spec, device, root, failed), may_allow=may_allow) from None
    except CheckIncomplete as incomplete:
        _refuse_other(spec, text)
        raise UnreadableRefusal(incomplete.report) from None
    except MegasolveError as error:
        _refuse_other(spec, text)
        raise Refusal(str(error)) from None
    show_findings([finding for finding in findings if finding.severity is Severity.WARNING])
    return with_asked_settings(study, settings) if settings else study


def with_asked_settings(study: Study, settings: Sequence[str]) -> Study:
    """Return *study* with what --set asks for."""
    from megasolve.contracts import CheckFailed
    from megasolve.contracts.fields.path import UnusableField
    from megasolve.contracts.fields.setting import parse_setting, with_settings

    try:
        return with_settings(study, list(map(parse_setting, settings)))
    except UnusableField as unusable:
        raise click.UsageError(f"--set {unusable}") from None
    except CheckFailed as failed:
        asked = " ".join(f"--set {shlex.quote(one)}" for one in settings)
        raise FindingsRefusal(f"{study.spec.file} with {asked}", failed, None) from None


def _refuse_other(spec: str, text: str | None) -> None:
    """Refuse a file, or the *text* of stdin, that is no spec by what it is instead, where that is something that people have at hand."""
    if (why := what_file(spec) if text is None else what_stdin(text)) is not None:
        raise Refusal(why) from None


def _is_simulated_hardware_alone(failed: CheckFailed) -> bool:
    from megasolve.contracts.check.rules.record.records import fake_measurement

    errors = [finding for finding in failed.findings if finding.severity.value == "error"]
    rules = {finding.rule for finding in errors} | {rule for (rule, severity) in failed.further if severity.value == "error"}
    return rules <= {fake_measurement}


def stdin_text(what: str = "spec") -> str:
    """Return what stands on stdin, where a *what* is to be read; bytes that are not UTF-8 are kept as surrogates.

    Raises
    ------
    Refusal
        It is closed, cannot be read, or is too large.
    """
    from megasolve.contracts import LARGEST_FILE_BYTES

    if sys.stdin is None:
        raise Refusal(f"stdin is closed: there is no {what} to read")
    try:
        content = sys.stdin.buffer.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        raise Refusal(f"cannot read stdin: {error.strerror or error}") from None
    if len(content) > LARGEST_FILE_BYTES:
        raise Refusal(f"stdin: is larger than {LARGEST_FILE_BYTES // 2**20} MiB")
    # Bytes that are not UTF-8 are kept, so that the reader refuses them as it does in a file.
    return content.decode("utf-8", "surrogateescape")


def _again(spec: str, device: str | None, root: str | None, failed: CheckFailed) -> str | None:
    """Return the command that shows the findings again: none for stdin, and none for a file that is fine but no spec."""
    from megasolve.contracts.files.rules import WRONG_KIND

    is_other_kind = any(finding.rule == WRONG_KIND and finding.path == "$.megasolve" for finding in failed.findings)
    if spec == STDIN or is_other_kind:
        return None
    return shlex.join(["megasolve", "check", spec, *(["--device", device] if device else []), *(["--root", root] if root else [])])


def chosen_batches(spec: Spec, batches: Sequence[int]) -> tuple[int, ...]:
    """Return the batches to plan for, each once; all that the spec lists where none is named."""
    from megasolve.contracts import UnknownBatch, asked_batches

    try:
        return asked_batches(spec, batches or None)
    except UnknownBatch as unknown:
        raise click.UsageError(f"--{unknown}") from None


def one_batch(spec: Spec, batch: int | None) -> int:
    """Return the batch to look at: the one asked for, or the only one of the spec."""
    if batch is None and len(spec.batches) > 1:
        raise click.UsageError(f"the spec has several batches: say --batch with one of {_listed(spec)}")
    (chosen,) = chosen_batches(spec, () if batch is None else (batch,))
    return chosen


def _listed(spec: Spec) -> str:
    return ", ".join(map(str, spec.batches))


def refuse_impossible(spec: Spec, objective: str | None, option: str = "--objective") -> None:
    """Refuse an objective, said with *option*, that is no time of this spec."""
    needed = {"producer_step": "producer", "chunk_interval": "consumer", "capacity": "consumer"}.get(objective or "")
    if needed and not any(group.role == needed for group in spec.groups):
        raise click.UsageError(f"{option} {objective} needs a {needed} group, which the spec has not")
    if objective == "capacity" and (spec.stream is None or spec.stream.next_chunk is None or spec.stream.frame_ps is None):
        raise click.UsageError(f"{option} {objective} needs stream.next_chunk and frame_us: what a later chunk plays")
    if objective == "chunk_interval" and (spec.stream is None or spec.stream.next_chunk is None):
        raise click.UsageError(f"{option} {objective} needs stream.next_chunk, the frames of a later chunk, which the spec has not")


def asked_where(study: Study, words: Sequence[str]) -> list[Where]:
    """Return the constraints that the command line states."""
    from megasolve.solver import UnusableWhere, stated_where

    try:
        return [stated_where(study, one) for one in words]
    except UnusableWhere as unusable:
        raise click.UsageError(str(unusable)) from None


def asked_limit(_context: click.Context, _parameter: click.Parameter, seconds: float | None) -> float | None:
    """Return the seconds that are asked for; NaN, which no comparison with a range keeps out, is no time."""
    if seconds is not None and math.isnan(seconds):
        raise click.BadParameter(f"{seconds} is not in the range x>0.")
    return seconds


def asked_front(_context: click.Context, _parameter: click.Parameter, words: str | None) -> tuple[str, ...]:
    """Return the times of the front that is asked for."""
    times = tuple(time.strip() for time in words.split(",")) if words is not None else ()
    unknown = [time for time in times if time not in OBJECTIVES]
    if unknown or len(set(times)) != len(times) or len(times) == 1:
        found = f"{unknown[0]!r} is no time" if unknown else "a front needs two times or more, each once"
        raise click.BadParameter(f"{found}; there are {', '.join(OBJECTIVES)}")
    return times


def refuse_no_number(study: Study, paths: Sequence[str], option: str = "--solve-for") -> None:
    """Refuse paths, said with *option*, that name no number of *study*."""
    from megasolve.contracts.fields.named import named_fields
    from megasolve.contracts.fields.path import UnusableField
    from megasolve.contracts.fields.scale import scale_of

    try:
        for path in paths:
            scale_of(path, named_fields(study, path))
    except UnusableField as unusable:
        raise click.UsageError(f"{option} {unusable}") from None


def asked_accuracy(_context: click.Context, _parameter: click.Parameter, words: str | None) -> str | None:
    """Return the relative accuracy that is asked for, exactly as it is written."""
    from fractions import Fraction

    if words is None:
        return None
    try:
        accuracy = Fraction(words)
    except (ValueError, ZeroDivisionError):
        raise click.BadParameter(f"{words!r} is no number; 0.05 is 5 %") from None
    if not 0 < accuracy < 1:
        raise click.BadParameter(f"{words} is not above 0 and below 1; 0.05 is 5 %")
    return words


def refuse_huge(study: Study) -> None:
    """Refuse a spec with more covers, or contracts with more choices of entries, than can be ranked."""
    from megasolve.solver import SpaceTooLarge, refuse_huge_space, refuse_many_variants

    try:
        refuse_huge_space(study.spec.value)
        refuse_many_variants(study)
    except SpaceTooLarge as error:
        raise Refusal(str(error)) from None


def refuse_impossible_size(study: Study, *, whole: bool) -> None:
    """Refuse a space that can be neither searched nor, where that is asked for, ranked *whole*."""
    from megasolve.solver import SpaceTooLarge, refuse_whole, size_of

    try:
        size = size_of(study)
        if whole:
            refuse_whole(size)
    except SpaceTooLarge as error:
        raise Refusal(str(error)) from None
