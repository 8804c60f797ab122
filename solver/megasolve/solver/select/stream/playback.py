"""Playback: at which chunk the sound of a stream stops, over all of its chunks, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from megasolve.contracts import StreamSchedule

from ..times import Ps


@dataclass(frozen=True, slots=True)
class Playback:
    """Chunks that arrive every *interval_ps* and are played one after the other, from the arrival of the first one on.

    The first holds *first_ps* of sound, each later one *next_ps*. *chunks* is how many the stream has; None where its end is unknown.
    A last chunk that is shorter counts as a whole one.
    """

    first_ps: int
    next_ps: int
    interval_ps: Ps
    chunks: int | None = None

    @property
    def real_time_factor(self) -> Fraction:
        """The time that a later chunk takes over the time that it plays; above 1 the stream falls behind for ever."""
        return Fraction(self.interval_ps) / self.next_ps

    @property
    def rate(self) -> str:
        """The real-time factor with three decimals; one that only looks like 1 then says on which side it is."""
        shown = f"{float(self.real_time_factor):.3f}"
        if shown != "1.000" or not self.lag_ps:
            return shown
        return "just above 1" if self.lag_ps > 0 else "just below 1"

    @property
    def lag_ps(self) -> Fraction:
        """How much further the arrival of chunks falls behind their sound with each chunk; negative where it gains."""
        return Fraction(self.interval_ps) - self.next_ps

    @property
    def endless_stop(self) -> int | None:
        """The chunk at which the sound of a stream without an end would stop, counted from 1; None where it never does.

        Chunk k is late if (k - 1) * interval > first + (k - 2) * next, which is (k - 1) * lag > first - next.
        """
        spare_ps = self.first_ps - self.next_ps
        if self.lag_ps > spare_ps:
            return 2
        # With no lag the first later chunk is the one that is nearest to being late.
        return int(spare_ps // self.lag_ps) + 2 if self.lag_ps > 0 else None

    @property
    def stop(self) -> int | None:
        """The chunk at which the sound stops; None where it goes on to the end of the stream."""
        found = self.endless_stop
        return None if found is None or (self.chunks is not None and found > self.chunks) else found

    def played_ps(self, chunk: int) -> int:
        """The sound of all chunks before *chunk*, which is not the first."""
        return self.first_ps + (chunk - 2) * self.next_ps

    def gap_ps(self, chunk: int) -> Fraction:
        """How long the sound is gone before *chunk* arrives, where it stops there."""
        return (chunk - 1) * Fraction(self.interval_ps) - self.played_ps(chunk)


def chunks_of(stream: StreamSchedule) -> int | None:
    """Return how many chunks an utterance of `length_steps` has; None where its length is unknown, or that of a later chunk.

    The last *delay* steps only complete frames that earlier ones began.
    """
    if stream.length_steps is None or stream.next_chunk is None:
        return None
    frames = max(stream.length_steps - stream.delay, 0)
    if stream.interleave is not None:
        frames = frames * stream.interleave.frames // stream.interleave.steps
    return 1 + max(-(-(frames - stream.first_chunk) // stream.next_chunk), 0)
