"""The event graph: what runs, what it waits for, and which launch holds CTAs for it (paper, sections IV-C and IV-D)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction

from megasolve.contracts import PS_PER_SECOND


class NodeKind(Enum):
    """What a node stands for; the engine treats all kinds alike, readers and traces do not."""

    DISPATCH = "dispatch"
    ENTRY = "entry"
    TASK = "task"
    RELEASE = "release"
    PUBLICATION = "publication"
    CONTROL = "control"


class Admission(Enum):
    """How a launch gets its CTAs.

    COOPERATIVE launches get all of them at once or wait. ORDINARY persistent launches take what is free, hold it and wait
    for the rest, and run nothing until they have all.
    """

    COOPERATIVE = "cooperative"
    ORDINARY = "ordinary"


@dataclass(frozen=True, slots=True)
class KernelGrid:
    """The CTAs of a conventional kernel, which takes SMs wave by wave beside others and holds none for good.

    It has *ctas* CTAs, of which *per_sm* share an SM; *resident_ctas* of them ran at once when its standalone time was measured. Of
    kernels and launches that become ready at one instant those of lower *priority* are served first.
    """

    ctas: int
    per_sm: int
    resident_ctas: int
    priority: int = 0


@dataclass(frozen=True, slots=True)
class HeldLaunch:
    """One launch: *holds* CTAs from the admission of its first ready node to the completion of its release node.

    *pools* gives, per pool of the launch, how many tasks may run at once. Of launches and kernels that become ready at one instant
    those of lower *priority* are served first.
    """

    name: str
    holds: int
    pools: tuple[int, ...] = (1,)
    admission: Admission = Admission.COOPERATIVE
    priority: int = 0


@dataclass(frozen=True, slots=True)
class Node:
    """One event: *duration_ps* alone on the device, and *demand* on its memory bandwidth in bytes per second.

    A task with a *grid* is a kernel outside any launch: its CTAs take whatever SMs are free.
    """

    name: str
    kind: NodeKind
    duration_ps: int
    demand: Fraction | int = 0
    launch: int | None = None
    pool: int = 0
    parts: tuple[tuple[str, int], ...] = ()
    grid: KernelGrid | None = None


@dataclass(frozen=True, slots=True)
class EventGraph:
    """Nodes with their predecessors (by index), launches with their release nodes, and the capacities they share.

    *predecessors[i]* lists the nodes that node i waits for. *releases[j]* is the node whose completion frees the CTAs of
    launch j. Indices are program order: the documented order of everything that happens at one instant.
    """

    nodes: tuple[Node, ...]
    predecessors: tuple[tuple[int, ...], ...]
    launches: tuple[HeldLaunch, ...]
    releases: tuple[int, ...]
    capacity_ctas: int
    bandwidth_bytes_per_s: int
    publication: int | None = None
    labels: dict[str, int] = field(default_factory=dict)


def demand_of(hbm_bytes: int, duration_ps: int, bandwidth_bytes_per_s: int) -> Fraction:
    """Return Q = min(bytes over standalone time, B) in bytes per second, so that a task alone takes its own time."""
    return min(Fraction(hbm_bytes * PS_PER_SECOND, duration_ps), Fraction(bandwidth_bytes_per_s))


class GraphBuilder:
    """Collects nodes and launches in program order and freezes them into an `EventGraph`."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self._predecessors: list[tuple[int, ...]] = []
        self._launches: list[HeldLaunch] = []
        self._releases: dict[int, int] = {}
        self.labels: dict[str, int] = {}

    def launch(self, launch: HeldLaunch) -> int:
        """Declare a launch; `add` its release node with `release_of`."""
        self._launches.append(launch)
        return len(self._launches) - 1

    def add(self, node: Node, after: tuple[int, ...] = (), *, release_of: int | None = None) -> int:
        """Append *node* after the nodes *after*; return its index."""
        index = len(self._nodes)
        self._nodes.append(node)
        self._predecessors.append(tuple(sorted(set(after))))
        if release_of is not None:
            self._releases[release_of] = index
        return index

    def build(self, capacity_ctas: int, bandwidth_bytes_per_s: int, publication: int | None = None) -> EventGraph:
        """Freeze the graph."""
        releases = tuple(self._releases[index] for index in range(len(self._launches)))
        return EventGraph(
            nodes=tuple(self._nodes),
            predecessors=tuple(self._predecessors),
            launches=tuple(self._launches),
            releases=releases,
            capacity_ctas=capacity_ctas,
            bandwidth_bytes_per_s=bandwidth_bytes_per_s,
            publication=publication,
            labels=dict(self.labels),
        )
