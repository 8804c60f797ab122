"""Continuity of playback: whether the sound of a design goes on from the first chunk to the end of the stream.

The first publication alone is no reason to start playing: a short first chunk is out early and soon played out, and chunks that
take longer than they play fall behind for ever. What is checked is one stream alone on the device, at the steady time from chunk
to chunk, whatever the objective.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from megasolve.contracts import StreamSchedule
from megasolve.simulate import Objective, Score, score
from megasolve.simulate.plan.need import Question
from megasolve.simulate.predict.cycles.threads import host_parts

from ...search.predicates import Judge
from ..compose import compose
from ..result import Ranked
from ..times import Ps, ms_text
from .findings import FALLS_BEHIND, HOST_SATURATES, SOUND_STOPS, PlanFinding, Remark
from .playback import Playback, chunks_of

NOT_MODELLED = "continuity of playback is not modelled"


def continuity_remarks(judge: Judge, ranking: Sequence[Ranked]) -> tuple[Remark, ...]:
    """Return whether playback of the best candidate goes on, or that nobody checked."""
    return continuity_of(judge, ranking[0]) if ranking else ()


def continuity_of(judge: Judge, row: Ranked) -> tuple[Remark, ...]:
    """Return whether playback of one candidate goes on, or that nobody checked; nothing where nothing is streamed."""
    stream = judge.question.spec.stream
    if stream is None:
        return ()
    if stream.frame_ps is None or stream.next_chunk is None:
        missing = [key for key, value in (("frame_us", stream.frame_ps), ("next_chunk", stream.next_chunk)) if value is None]
        return (f"{NOT_MODELLED}: with {' and '.join(missing)} in the stream schedule it is checked",)
    played = row.playback or next(playbacks(judge, [row]))
    if played is None:
        return (f"{NOT_MODELLED}: there are not all records for the steady chunks of {row.id}",)
    return (_verdict(stream, stream.next_chunk, played, row.id), *_saturated(judge, row, played))


def _saturated(judge: Judge, row: Ranked, played: Playback) -> Iterator[PlanFinding]:
    """Yield the threads of the host that take longer to issue the launches of a chunk than it plays."""
    spec = judge.question.spec
    steady = Judge(judge.study, Question(spec, judge.question.batch, Objective.CHUNK_INTERVAL), judge.evidence, judge.effects)
    threads = {group: f"host thread '{host}'" for host, groups in spec.hosts.items() for group in groups}
    spent: Counter[str] = Counter()
    for group, ps in host_parts(compose(steady, row.candidate, row.tied[0]).composition).items():
        spent[threads.get(group, "the host thread")] += ps
    for thread, ps in spent.items():
        if ps > played.next_ps:
            takes = f"it takes {ms_text(ps)} to issue the launches of a chunk of {row.id} that plays {ms_text(played.next_ps)}"
            enough = f"{-(-ps // played.next_ps)} threads would do, if they can share its launches evenly"
            yield PlanFinding(HOST_SATURATES, f"{thread} saturates: {takes}; {enough}", row.id)


def with_playback(judge: Judge, ranking: Sequence[Ranked]) -> tuple[Ranked, ...]:
    """Return *ranking* with what is known of the playback of each row."""
    pairs = zip(ranking, playbacks(judge, ranking), strict=True)
    return tuple(row if played is None else replace(row, playback=played) for row, played in pairs)


def playbacks(judge: Judge, ranking: Sequence[Ranked]) -> Iterator[Playback | None]:
    """Yield the playback of each row; None where nothing is streamed, or evidence of later chunks is missing."""
    spec, stream = judge.question.spec, judge.question.spec.stream
    if stream is None or stream.frame_ps is None or stream.next_chunk is None:
        yield from (None for _ in ranking)
        return
    steady = Judge(judge.study, Question(spec, judge.question.batch, Objective.CHUNK_INTERVAL), judge.evidence, judge.effects)
    for row in ranking:
        interval_ps = _chunk_interval_ps(steady, row)
        first_ps, next_ps = stream.first_chunk * stream.frame_ps, stream.next_chunk * stream.frame_ps
        yield None if interval_ps is None else Playback(first_ps, next_ps, interval_ps, chunks_of(stream))


def _verdict(stream: StreamSchedule, next_chunk: int, played: Playback, name: str) -> Remark:
    """Return whether the sound of the candidate called *name* goes on; a finding where it stops, or would in a longer utterance."""
    held = f"the first chunk of {name} holds {ms_text(played.first_ps)} ({_frames(stream.first_chunk)})"
    if played.chunks == 1:
        return f"playback goes on: {held}, which is the whole utterance; later ones would have real-time factor {played.rate}"
    later = f"each later one holds {ms_text(played.next_ps)} ({_frames(next_chunk)})"
    said = f"{held}, {later} and follows {ms_text(played.interval_ps)} after the one before: real-time factor {played.rate}"
    rule = FALLS_BEHIND if played.lag_ps > 0 else SOUND_STOPS
    if played.stop is not None:
        return PlanFinding(rule, f"playback stalls: {said}, {_stop(played, played.stop)}", name)
    if played.endless_stop is not None:
        ends = f"the utterance ends before the sound does ({played.chunks:,} chunks)"
        return PlanFinding(rule, f"playback falls behind, and {ends}: {said}, in a longer one {_stop(played, played.endless_stop)}", name)
    to_the_end = f" to the end of the utterance ({played.chunks:,} chunks)" if played.chunks else ""
    return f"playback goes on{to_the_end}: {said}; other load on the device is not modelled"


def _stop(played: Playback, chunk: int) -> str:
    where = f"chunk {chunk:,} (the {_ordinal(chunk - 1)} after the first), {ms_text(played.played_ps(chunk))} after it begins"
    growing = f"; the stream falls behind by {ms_text(played.lag_ps)} with each chunk" if played.lag_ps > 0 else ""
    return f"the sound stops at {where}, for a gap of {ms_text(played.gap_ps(chunk))}{growing}"


def _frames(number: int) -> str:
    return f"{number:,} frame" if number == 1 else f"{number:,} frames"


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def _chunk_interval_ps(steady: Judge, row: Ranked) -> Ps | None:
    """Return the steady time from chunk to chunk of the variant that was ranked; None where it cannot be scored."""
    variant = row.tied[0]
    if not steady.is_feasible(variant, row.candidate.policy):
        return None
    found = score(compose(steady, row.candidate, variant).composition, Objective.CHUNK_INTERVAL)
    return found.value_ps if isinstance(found, Score) else None
