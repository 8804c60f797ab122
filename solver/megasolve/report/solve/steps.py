"""The steps r and h in words: what each field of the stream schedule did to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from megasolve.contracts import JsonObject
from megasolve.contracts.model.wording import counted

if TYPE_CHECKING:
    from megasolve.contracts import StreamSchedule
    from megasolve.solver import Steps


def steps_line(steps: Steps) -> str:
    """Return the line about r and h that stands in every header, before it the cycle where the objective is a steady one."""
    told = _streamed(steps, steps.stream) if steps.stream else _published(steps)
    return f"steps: {_cycle(steps)}{told}"


def _cycle(steps: Steps) -> str:
    if not steps.is_steady:
        return ""
    made = f"a steady cycle is {counted(steps.cycle_steps, 'step')}"
    if steps.stream is None:
        return f"{made}; "
    frames = "first_chunk" if steps.stream.next_chunk is None else "next_chunk"
    return f"{made} ({frames} {steps.stream.next_chunk or steps.stream.first_chunk}) and a chunk; "


def _streamed(steps: Steps, stream: StreamSchedule) -> str:
    first = f"delay {stream.delay} + {_first_chunk(steps, stream)}"
    ready = f"first chunk after step r = {steps.ready_step} ({first} + right_context {stream.right_context})"
    ahead = f"{first} + lookahead {stream.lookahead}"
    if steps.horizon_step == steps.lookahead_step:
        return f"{ready}, first publication after step h = {steps.horizon_step} ({ahead})"
    return f"{ready}, first publication after step h = r ({ahead} = {steps.lookahead_step} is no later)"


def _first_chunk(steps: Steps, stream: StreamSchedule) -> str:
    if stream.interleave is None:
        return f"first_chunk {stream.first_chunk}"
    beside = f"{stream.interleave.steps} steps for {counted(stream.interleave.frames, 'frame')}"
    return f"first_chunk {steps.first_chunk_steps} [{counted(stream.first_chunk, 'frame')}, {beside}]"


def _published(steps: Steps) -> str:
    if steps.publication is None:
        return "nothing is streamed"
    if not steps.horizon_step:
        return f"the first publication waits for group {steps.publication.group} and no step (h = 0)"
    return f"the first publication waits for group {steps.publication.group} in step h = {steps.horizon_step} (publication.step)"


def steps_facts(steps: Steps) -> JsonObject:
    """Return r, h and what they follow from, for JSON."""
    stream = steps.stream
    parts = ("delay", "first_chunk", "right_context", "lookahead", "next_chunk", "length_steps")
    return {
        "ready_step": steps.ready_step,
        "horizon_step": steps.horizon_step,
        "cycle_steps": steps.cycle_steps,
        "first_chunk_steps": steps.first_chunk_steps,
        "stream": {part: getattr(stream, part) for part in parts} if stream else None,
        "publication": steps.publication.model_dump() if steps.publication else None,
    }
