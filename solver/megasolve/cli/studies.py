"""From the words of a command to a checked study and the question asked of it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from .refusals import FindingsRefusal, Refusal

if TYPE_CHECKING:
    from megasolve.contracts import Spec, Study

STDIN = "-"
OBJECTIVES = ("first_publication", "producer_step", "chunk_interval")


def read_study(spec: str, device: str | None, stdin_filename: str | None) -> Study:
    """Return the checked study of the spec named *spec*, or of stdin for ``-``.

    Raises
    ------
    Refusal
        The files cannot be read, or have findings that make them unusable.
    """
    from megasolve.contracts import CheckFailed, MegasolveError, load_spec

    if stdin_filename is not None and spec != STDIN:
        raise click.UsageError("--stdin-filename is only for a spec from stdin: SPEC -")
    name = (stdin_filename or "<stdin>") if spec == STDIN else spec
    try:
        return load_spec(name, device=device, text=_stdin_text() if spec == STDIN else None)
    except CheckFailed as failed:
        raise FindingsRefusal(name, failed.findings) from None
    except MegasolveError as error:
        raise Refusal(str(error)) from None


def _stdin_text() -> str:
    # Bytes that are not UTF-8 are kept, so that the reader refuses them as it does in a file.
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def asked_batches(spec: Spec, batches: Sequence[int]) -> list[int] | None:
    """Return the batches to plan for, each once; None for all that the spec lists."""
    for batch in batches:
        if batch not in spec.batches:
            raise click.UsageError(f"--batch {batch} is not in the list of the spec: {_listed(spec)}")
    return list(dict.fromkeys(batches)) or None


def one_batch(spec: Spec, batch: int | None) -> int:
    """Return the batch to look at: the one asked for, or the only one of the spec."""
    if batch is None and len(spec.batches) > 1:
        raise click.UsageError(f"the spec has several batches: say --batch with one of {_listed(spec)}")
    (chosen,) = asked_batches(spec, () if batch is None else (batch,)) or spec.batches
    return chosen


def _listed(spec: Spec) -> str:
    return ", ".join(map(str, spec.batches))


def refuse_impossible(spec: Spec, objective: str | None) -> None:
    """Refuse an objective that is no time of this spec."""
    needed = {"producer_step": "producer", "chunk_interval": "consumer"}.get(objective or "")
    if needed and not any(group.role == needed for group in spec.groups):
        raise click.UsageError(f"--objective {objective} needs a {needed} group, which the spec has not")
    if objective == "chunk_interval" and (spec.stream is None or spec.stream.next_chunk is None):
        raise click.UsageError("--objective chunk_interval needs stream.next_chunk, the frames of a later chunk, which the spec has not")
