"""A task graph of MPK: the tasks of one step in their order, and the events between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

NO_EVENT = -1
FIRST_TASK = 2
"""Tasks 0 and 1 end the kernel and begin the graph; work begins behind them."""

TERMINATE, BEGIN = 0, 10

LAUNCHING = (901, 902)
"""Events that put tasks into the queues of the workers when they open, so that these wait for them."""

_COUNTER, _LAUNCHED_AHEAD = 900, 903


@dataclass(frozen=True, slots=True)
class TaskEvent:
    """A counter that opens after *triggers* arrivals; where it launches tasks, those at positions *first* up to *last*, not included."""

    kind: int
    triggers: int
    first: int
    last: int


@dataclass(frozen=True)
class TaskGraph:
    """The tasks in program order: what each is (*kinds*), the event it *waits* for and the one it *arrives* at, `NO_EVENT` where none."""

    file: str
    sha256: str
    kinds: tuple[int, ...]
    waits: tuple[int, ...]
    arrives: tuple[int, ...]
    events: tuple[TaskEvent, ...]

    @cached_property
    def counts(self) -> Counter[int]:
        """How many tasks there are of each kind, without those that begin and end the graph."""
        return Counter(self.kinds[FIRST_TASK:])

    @cached_property
    def producers(self) -> tuple[tuple[int, ...], ...]:
        """The positions of the tasks that arrive at each event."""
        found: list[list[int]] = [[] for _ in self.events]
        for position, event in enumerate(self.arrives):
            if event != NO_EVENT:
                found[event].append(position)
        return tuple(map(tuple, found))

    @property
    def is_launched_ahead(self) -> bool:
        """Whether one event puts all tasks into the queues of the workers when the step begins, so that their order is fixed."""
        ahead = [event for event in self.events if event.kind == _LAUNCHED_AHEAD]
        return len(ahead) == 1 and (ahead[0].first, ahead[0].last) == (FIRST_TASK, len(self.kinds)) and self._others_count_only

    @property
    def _others_count_only(self) -> bool:
        return all(event.kind >= 910 or event.kind in (_COUNTER, _LAUNCHED_AHEAD) for event in self.events)

    @property
    def positions(self) -> Iterator[int]:
        """The positions of the tasks that work."""
        return iter(range(FIRST_TASK, len(self.kinds)))
