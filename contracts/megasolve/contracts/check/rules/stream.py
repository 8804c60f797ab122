"""Rules for the stream schedule of a spec: output that never comes, and chunks that are not fully declared."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.findings import Fault, Severity
from ...model.rules import rule
from ...model.spec import Spec
from ...model.wording import counted
from ..subjects import SPEC
from .walking import one_by_one


@rule("STR-01", "never-publishes", "The utterance is long enough for its first publication.", on=SPEC)
def never_publishes(spec: Spec) -> Iterator[Fault]:
    """An utterance shorter than r never starts its first chunk; one shorter than h never releases it (paper, section III)."""
    stream = spec.stream
    if stream is None or stream.length_steps is None or stream.length_steps >= stream.horizon_step:
        return
    length, ready, horizon = stream.length_steps, stream.ready_step, stream.horizon_step
    waits = f"the first chunk needs {ready}" if length < ready else f"its publication waits for step {horizon}"
    yield Fault(
        never_publishes,
        ("stream", "length_steps"),
        f"no publication: the utterance has {counted(length, 'step')}, {waits}; at least {counted(horizon, 'step')}, "
        "or a smaller first_chunk or lookahead",
    )


@rule("STR-02", "frames-outrun-steps", "Interleaved steps usually yield at most one frame each.", on=SPEC)
def frames_outrun_steps(spec: Spec) -> Iterator[Fault]:
    """Interleaving spends steps on text; more frames than steps is multi-frame prediction, or two swapped numbers."""
    if spec.stream is None or spec.stream.interleave is None:
        return
    steps, frames = spec.stream.interleave.steps, spec.stream.interleave.frames
    if frames > steps:
        yield Fault(
            frames_outrun_steps,
            ("stream", "interleave", "frames"),
            f"{counted(frames, 'frame')} from {counted(steps, 'step')}; "
            "usually a step yields at most one frame: are the two numbers swapped?",
            severity=Severity.WARNING,
        )


@rule("STR-03", "next-chunk-missing", "A decode window with left context needs the size of a later chunk.", on=SPEC)
def next_chunk_missing(spec: Spec) -> Iterator[Fault]:
    """The window of a later chunk is its own frames plus the left context: both numbers are needed."""
    if spec.stream is None or spec.stream.next_chunk is not None:
        return
    for index, group in one_by_one(spec.groups):
        if group.role == "consumer" and group.left_context_frames is not None:
            yield Fault(
                next_chunk_missing,
                ("groups", index, "left_context_frames"),
                f"'{group.name}' decodes {counted(group.left_context_frames, 'frame')} of left context, but no next_chunk says "
                "how many frames a later chunk has; add stream.next_chunk: chunk and window are two numbers",
            )


@rule("STR-04", "context-without-chunks", "Only a consumer decodes frames with left context.", on=SPEC)
def context_without_chunks(spec: Spec) -> Iterator[Fault]:
    """Admission and producer groups decode no chunks."""
    for index, group in one_by_one(spec.groups):
        if group.role != "consumer" and group.left_context_frames is not None:
            yield Fault(
                context_without_chunks,
                ("groups", index, "left_context_frames"),
                f"left context on the {group.role} group '{group.name}'; only a consumer decodes a window of frames: remove it",
                at_key=True,
            )
