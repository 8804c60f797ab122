"""Rounds: what the model says of a co-run, which runs rounds of a producer and of a consumer beside each other, as `measure` does.

Both sides begin together and go round without a pause, every launch queued long before. The consumer runs so many rounds, and the producer
goes on until they are over, so that at no instant the consumer is alone; of the producer the whole rounds inside of that count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ..events.engine import simulate
from ..events.graph import NodeKind
from ..events.outcome import Deadlock
from ..plan.sharing import Sharing
from .composition import Composition
from .lowering.stretches import on_its_side
from .lowering.writer import Detail, Side, Writer
from .occurrences import step_blocks

# As in a measured co-run: so many rounds of each side at least.
LEAST_ROUNDS = 4
MOST_ROUNDS = 256

Groups = Sequence[str]


@dataclass(frozen=True, slots=True)
class PairRounds:
    """What one round of the producer and one of the consumer takes, in picoseconds: alone, and beside the other side.

    *beside* is None where the model does not know: the two never run at once, or one is too short for the other.
    """

    alone: tuple[Fraction, Fraction]
    beside: tuple[Fraction, Fraction] | None


def rounds_beside(composition: Composition, makes: Groups, takes: Groups) -> PairRounds | None:
    """Return what a round of the producers *makes* and one of the consumers *takes* come to, on their sides of *composition*.

    Each names whole regions. None where a round takes no time.
    """
    made, _ = _ends(composition, makes, LEAST_ROUNDS, takes, 0)
    _, taken = _ends(composition, makes, 0, takes, LEAST_ROUNDS)
    if not made or not taken or not made[-1] or not taken[-1]:
        return None
    alone = made[-1] / LEAST_ROUNDS, taken[-1] / LEAST_ROUNDS
    rounds = min(max(LEAST_ROUNDS, -(-LEAST_ROUNDS * alone[0] // alone[1])), MOST_ROUNDS)
    return PairRounds(alone, _beside(composition, makes, takes, rounds, max(LEAST_ROUNDS, -(-rounds * alone[1] // alone[0]))))


def _beside(composition: Composition, makes: Groups, takes: Groups, rounds: int, background: int) -> tuple[Fraction, Fraction] | None:
    """Return both times beside each other, for *rounds* of the consumer; *background* are those of the producer that may do."""
    while background <= MOST_ROUNDS:
        made, taken = _ends(composition, makes, background, takes, rounds)
        if not made or not taken:
            return None
        if made[-1] >= taken[-1]:
            inside = [end for end in (Fraction(0), *made) if end <= taken[-1]]
            return (inside[-1] / (len(inside) - 1), taken[-1] / rounds) if len(inside) > 1 else None
        background *= 2
    return None


def _ends(composition: Composition, makes: Groups, made: int, takes: Groups, taken: int) -> tuple[list[Fraction], list[Fraction]]:
    """Return when each round ends, *made* of the producers and *taken* of the consumers beside each other; nothing in a deadlock."""
    is_on_streams = composition.sharing is Sharing.STREAMS
    apart = replace(composition, second_stream=replace(composition.second_stream, own_host=True))
    writer = Writer(apart.beside if is_on_streams else apart, detail=Detail.FULL)
    writer.ahead_hosts = apart.threads_ahead
    capacity, first = composition.capacity, composition.second_stream.producers_first
    sides = [
        _Rounds(writer, groups, count, holds, priority if is_on_streams else None)
        for groups, count, holds, priority in (
            (makes, made, capacity.producer, int(not first)),
            (takes, taken, capacity.consumer, int(first)),
        )
    ]
    # Persistent CTAs meet before either side begins: kernels find the SMs taken that these hold.
    met = writer.add("both begin", NodeKind.CONTROL, 0, tuple(side.launch.after for side in sides if side.launch))
    rounds = [side.run(met) for side in sides]
    outcome = simulate(writer.build(writer.publish(met, *(node for nodes in rounds for node in nodes[-1:]))))
    if isinstance(outcome, Deadlock):
        return [], []
    ends = [[Fraction(outcome.finish[node]) for node in nodes] for nodes in rounds]
    return ends[0], ends[1]


class _Rounds:
    """*count* rounds of *groups*: inside of one launch that holds its CTAs, or launch by launch; on a stream with this *priority*."""

    def __init__(self, writer: Writer, groups: Groups, count: int, holds: int, priority: int | None) -> None:
        self.writer, self.groups, self.count, self.holds, self.priority = writer, groups, count, holds, priority
        self.region = writer.composition.region_of(groups[0])
        self.launch: Side | None = None
        if count and self.region.persistent and {*groups} <= {*self.region.groups}:
            self.launch = writer.open(self.region, writer.add("launch", NodeKind.CONTROL, 0, ()), holds)

    def run(self, begin: int) -> list[int]:
        """Append the rounds behind *begin* and return the last node of each."""
        if not self.count:
            return []
        if self.launch is not None:
            return self._inside(self.launch, begin)
        if self.priority is None:
            return self._launched(begin, self.holds)
        with self.writer.on_stream(self.priority):
            return self._launched(begin, None)

    def _inside(self, side: Side, begin: int) -> list[int]:
        stretch, ends, last = on_its_side(self.writer.composition, self.groups), list[int](), begin
        for _ in range(self.count):
            last = self.writer.beside(stretch, side, last, None)
            ends.append(last)
        self.writer.close(side, self.region.name, last)
        return ends

    def _launched(self, begin: int, holds: int | None) -> list[int]:
        blocks, ends = step_blocks(self.writer.composition, self.groups), list[int]()
        self.writer.device = (begin,)
        for _ in range(self.count):
            self.writer.each(blocks, holds)
            ends += self.writer.device
        return ends
