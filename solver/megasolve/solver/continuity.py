"""Continuity of playback: whether the first chunk lasts until the next one arrives, for the candidate that wins.

The first publication alone is no reason to start playing: a short first chunk is out early and soon played out. What is
checked is one stream alone on the device, from the first chunk to the second, at the steady time from chunk to chunk.
"""

from __future__ import annotations

from collections.abc import Sequence

from megasolve.contracts import StreamSchedule
from megasolve.simulate import Objective, Score, score

from .compose import compose
from .needs import Question
from .predicates import Judge, Variant
from .result import Ps, Ranked

PS_PER_MS = 10**9
NOT_MODELLED = "continuity of playback is not modelled"


def continuity_notes(judge: Judge, ranking: Sequence[Ranked]) -> tuple[str, ...]:
    """Return whether playback of the best candidate goes on after its first chunk, or that nobody checked."""
    stream = judge.question.spec.stream
    if not ranking or stream is None or judge.question.is_steady:
        return ()
    if stream.frame_ps is None or stream.next_chunk is None:
        missing = [key for key, value in (("frame_us", stream.frame_ps), ("next_chunk", stream.next_chunk)) if value is None]
        return (f"{NOT_MODELLED}: with {' and '.join(missing)} in the stream schedule it is checked",)
    best = ranking[0]
    interval_ps = _chunk_interval_ps(judge, best)
    if interval_ps is None:
        return (f"{NOT_MODELLED}: there are not all records for the steady chunks of {best.id}",)
    return (_verdict(stream, stream.first_chunk * stream.frame_ps, interval_ps, best.id),)


def _verdict(stream: StreamSchedule, held_ps: int, interval_ps: Ps, name: str) -> str:
    holds = f"the first chunk of {name} holds {_ms(held_ps)} ({stream.first_chunk} frames)"
    follows = f"the next one follows {_ms(interval_ps)} later"
    if interval_ps > held_ps:
        return f"playback stalls: {holds}, {follows}, a gap of {_ms(interval_ps - held_ps)}"
    return f"playback goes on: {holds}, {follows}; other load on the device is not modelled"


def _chunk_interval_ps(judge: Judge, row: Ranked) -> Ps | None:
    """Return the steady time from chunk to chunk of the variant that was ranked; None where it cannot be scored."""
    steady = Judge(
        judge.study, Question(judge.question.spec, judge.question.batch, Objective.CHUNK_INTERVAL), judge.evidence, judge.effects
    )
    variant = next((one for one in steady.variants(row.candidate) if _is_ranked(one, row)), None)
    if variant is None or not steady.is_feasible(variant, row.candidate.policy):
        return None
    found = score(compose(steady, row.candidate, variant).composition, Objective.CHUNK_INTERVAL)
    return found.value_ps if isinstance(found, Score) else None


def _is_ranked(variant: Variant, row: Ranked) -> bool:
    return tuple(map(str, variant)) == row.entries


def _ms(ps: Ps) -> str:
    return f"{float(ps) / PS_PER_MS:.3f}".rstrip("0").rstrip(".") + " ms"
