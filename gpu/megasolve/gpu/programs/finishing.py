"""Whether a program finishes: its instructions replayed with some CTAs resident, without what they compute.

The end does not depend on which CTA goes first: counters only grow, and tickets are taken in order, so all that can run does. That
holds where common instructions wait only for common ones; else it matters which pool's CTA is the one that waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

from .instructions import Instruction


@dataclass(frozen=True, slots=True)
class CtaPool:
    """*ctas* CTAs that take the *instructions* of one queue, in order; one CTA with a queue of its own is a pool, too."""

    instructions: Sequence[int]
    ctas: int


@dataclass(frozen=True, slots=True)
class Ending:
    """What a replay came to: the instructions that ran, in a possible order, and those that CTAs hold and that wait for ever."""

    ran: tuple[int, ...]
    held: tuple[int, ...]


def replay(
    instructions: Sequence[Instruction], common: Sequence[int], pools: Sequence[CtaPool], resident: int, *, descending: bool = False
) -> Ending:
    """Return the ending of a grid that takes the *common* instructions first and then those of *pools*.

    Parameters
    ----------
    resident
        How many CTAs the device holds at a time; the next one starts when one ends, the lowest number first.
    descending
        The highest number first instead.
    """
    # X before Y, as the grid numbers its CTAs; the device starts them in that order, or in no order at all.
    order = list(chain.from_iterable([number] * pool.ctas for number, pool in enumerate(pools)))
    waiting = order if descending else order[::-1]
    grid = _Grid(instructions, (common, *(pool.instructions for pool in pools)))
    free = resident
    # A CTA that waits holds its slot; only one that ends lets the next one start. That is how a grid deadlocks.
    while free and waiting:
        free += grid.run_cta(waiting.pop() + 1) - 1
    return Ending(tuple(grid.ran), tuple(grid.holder))


@dataclass(slots=True)
class _Grid:
    """The state of a replay. Queue 0 is the common one; a CTA is known by the queue that it serves behind that."""

    instructions: Sequence[Instruction]
    queues: tuple[Sequence[int], ...]
    taken: list[int] = field(init=False)
    arrived: dict[int, int] = field(default_factory=dict)
    opened_at: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    closed: dict[int, int] = field(default_factory=dict)
    holder: dict[int, int] = field(default_factory=dict)
    ran: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.taken = [0] * len(self.queues)
        for index in chain.from_iterable(self.queues):
            self.closed[index] = 0
            for counter, target in self.instructions[index].waits:
                # A target of 0 is met from the start, and no arrival would ever open it.
                if target > 0:
                    self.closed[index] += 1
                    # By counter and target: an arrival looks up whom it wakes, and asks nobody else.
                    self.opened_at.setdefault((counter, target), []).append(index)

    def run_cta(self, own_queue: int) -> int:
        """Start a CTA and let all that can run do so; return how many CTAs ended."""
        ended, awake = 0, [own_queue]
        while awake:
            queue = awake.pop()
            index = self._take(queue)
            if index is None:
                ended += 1
            # A ticket taken is never given back: the CTA waits with this instruction and takes no other.
            elif self.closed[index]:
                self.holder[index] = queue
            else:
                awake.append(queue)
                awake.extend(self._finish(index))
        return ended

    def _take(self, own_queue: int) -> int | None:
        # Common instructions first, by one ticket for all CTAs, then those of the own pool: as the interpreter takes them.
        for queue in (0, own_queue):
            if self.taken[queue] < len(self.queues[queue]):
                self.taken[queue] += 1
                return self.queues[queue][self.taken[queue] - 1]
        return None

    def _finish(self, index: int) -> list[int]:
        """Run an instruction and return the CTAs that it wakes, once those that they held ran as well."""
        awake: list[int] = []
        runnable = [index]
        while runnable:
            done = runnable.pop()
            self.ran.append(done)
            for counter in self.instructions[done].signals:
                count = self.arrived[counter] = self.arrived.get(counter, 0) + 1
                for waiting in self.opened_at.get((counter, count), ()):
                    self.closed[waiting] -= 1
                    # One that is open but not taken yet runs once a CTA takes it.
                    if not self.closed[waiting] and waiting in self.holder:
                        awake.append(self.holder.pop(waiting))
                        runnable.append(waiting)
        return awake
