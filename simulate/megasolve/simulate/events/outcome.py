"""What a simulation ends with: the times of every node, or the deadlock that it ran into."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from megasolve.contracts import PS_PER_MS

from .arithmetic import Time
from .graph import EventGraph

MAX_LISTED = 4


class Wave(NamedTuple):
    """CTAs of a kernel that run together: the *node*, when they *start* and *finish*, how many they are and the SMs that they take."""

    node: int
    start: Time
    finish: Time
    ctas: int
    sms: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """Times in picoseconds: *start* and *finish* per node; *admitted*, *released* and *held* CTAs per launch.

    A launch that was never admitted, because none of its nodes needed it, has None for its times and holds 0 CTAs. *waves* are those
    of the kernels with a grid, as they end.
    """

    finish: tuple[Time, ...]
    start: tuple[Time, ...]
    admitted: tuple[Time | None, ...]
    released: tuple[Time | None, ...]
    held: tuple[int, ...]
    graph: EventGraph = field(repr=False)
    waves: tuple[Wave, ...] = ()

    @property
    def makespan(self) -> Time:
        """The time at which the last node finishes; 0 for a graph without nodes."""
        return max(self.finish, default=0)

    def finish_of(self, node: int | str) -> Time:
        """Return the finish time of a node, given its index, its label or its name.

        Raises
        ------
        LookupError
            If no node, or more than one, has that name.
        """
        return self.finish[node if isinstance(node, int) else self._index(node)]

    def _index(self, name: str) -> int:
        if name in self.graph.labels:
            return self.graph.labels[name]
        found = [index for index, node in enumerate(self.graph.nodes) if node.name == name]
        if len(found) != 1:
            raise LookupError(f"{len(found)} nodes are named {name!r}, expected exactly one")
        return found[0]


class Holder(NamedTuple):
    """A launch that holds CTAs in a deadlock, and the launches and nodes that its own unfinished nodes wait for."""

    launch: str
    ctas: int
    waits_on: tuple[str, ...]


class Waiter(NamedTuple):
    """A launch with a ready node that was not admitted: the CTAs that it needs and those that it already has."""

    launch: str
    needs: int
    has: int


@dataclass(frozen=True, slots=True)
class Deadlock:
    """A schedule in which nothing runs and not all is done: a result, not an error."""

    at: Time
    free_ctas: int
    holding: tuple[Holder, ...]
    waiting: tuple[Waiter, ...]
    unfinished: int

    def __str__(self) -> str:
        """Say in one sentence who waits for what, and who holds it; long lists end in a count."""
        waiting = _listed(list(map(_waits, self.waiting))) or [
            "no launch waits for CTAs, the nodes wait for each other or for a pool without slots"
        ]
        reasons = [*waiting, f"{self.free_ctas} free", *_listed(list(map(_holds, self.holding)))]
        return f"Deadlock at {float(self.at) / PS_PER_MS:.6g} ms, {self.unfinished} unfinished: {'; '.join(reasons)}."


def _listed(sentences: list[str]) -> list[str]:
    more = len(sentences) - MAX_LISTED
    return sentences if more <= 0 else [*sentences[:MAX_LISTED], f"and {more} more"]


def _waits(waiter: Waiter) -> str:
    has = f" and has {waiter.has}" if waiter.has else ""
    return f"launch {waiter.launch!r} needs {waiter.needs} CTAs{has}"


def _holds(holder: Holder) -> str:
    waits = f" and waits on {', '.join(map(repr, holder.waits_on))}" if holder.waits_on else ""
    return f"{holder.launch!r} holds {holder.ctas}{waits}"
