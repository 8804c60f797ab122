"""Event graphs for tests: a short way to write one down, and Hypothesis strategies that draw random ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from megasolve.simulate.events.engine import simulate
from megasolve.simulate.events.graph import Admission, EventGraph, GraphBuilder, HeldLaunch, KernelGrid, Node, NodeKind
from megasolve.simulate.events.outcome import Outcome

CAPACITY_CTAS = 6
BANDWIDTH = 4
KINDS = tuple(Admission)
DEMANDS: tuple[Fraction | int, ...] = (0, 0, 1, 2, 3, 4, Fraction(5, 3))


class Sketch:
    """Writes event graphs by hand: launches with entry and release nodes, and tasks by name."""

    def __init__(self, capacity_ctas: int = 132, bandwidth_bytes_per_s: int = 1000) -> None:
        self._builder = GraphBuilder()
        self._capacity_ctas = capacity_ctas
        self._bandwidth_bytes_per_s = bandwidth_bytes_per_s

    def launch(self, name: str, holds: int, *after: int, **settings: Any) -> tuple[int, int]:
        """Declare a launch that may be admitted after *after*; return its index and its entry node."""
        index = self._builder.launch(replace(HeldLaunch(name, holds), **settings))
        return index, self.add(f"{name}.entry", 0, *after, launch=index, kind=NodeKind.ENTRY)

    def add(
        self,
        name: str,
        duration_ps: int,
        *after: int,
        launch: int | None = None,
        demand: Fraction | int = 0,
        pool: int = 0,
        kind: NodeKind = NodeKind.TASK,
        grid: KernelGrid | None = None,
    ) -> int:
        """Append one node and return its index."""
        return self._builder.add(Node(name, kind, duration_ps, demand, launch, pool, grid=grid), after)

    def release(self, launch: int, *after: int, name: str | None = None) -> int:
        """Append the release node of *launch* after its tasks."""
        node = Node(name or f"release {launch}", NodeKind.RELEASE, 0, launch=launch)
        return self._builder.add(node, after, release_of=launch)

    def single(self, name: str, holds: int, duration_ps: int, *after: int, demand: Fraction | int = 0, **settings: Any) -> int:
        """Append a launch with one task of the same name; return its release node."""
        launch, entry = self.launch(name, holds, *after, **settings)
        task = self.add(name, duration_ps, entry, launch=launch, demand=demand)
        return self.release(launch, task)

    def kernel(self, name: str, ctas: int, duration_ps: int, *after: int, demand: Fraction | int = 0, **shape: int) -> int:
        """Append a kernel of *ctas* CTAs, by default one on an SM, as many at once as the device has SMs; return its node."""
        grid = KernelGrid(ctas, **{"per_sm": 1, "resident_ctas": self._capacity_ctas, **shape})
        return self.add(name, duration_ps, *after, demand=demand, grid=grid)

    def graph(self) -> EventGraph:
        """Freeze what was written."""
        return self._builder.build(self._capacity_ctas, self._bandwidth_bytes_per_s)


def finished(graph: EventGraph) -> Outcome:
    """Simulate a graph that is known to finish."""
    outcome = simulate(graph)
    assert isinstance(outcome, Outcome), str(outcome)
    return outcome


@dataclass(frozen=True)
class Family:
    """What the random graphs of one property may contain.

    *floor_ps* 1 draws no node of zero duration, *most_ps* bounds the tasks, *slots* lists the widths of pools. With *kernels* tasks
    outside launches may have grids. *roomy* gives every launch its CTAs and every task a slot.
    """

    floor_ps: int = 0
    most_ps: int = 4
    slots: tuple[int, ...] = (1, 1, 2)
    most_launches: int = 18
    kinds: tuple[Admission, ...] = KINDS
    kernels: bool = True
    roomy: bool = False
    shuffled: bool = True


GRIDS = st.builds(KernelGrid, st.integers(1, 3 * CAPACITY_CTAS), st.integers(1, 3), st.integers(1, 2 * CAPACITY_CTAS), st.integers(0, 1))


@st.composite
def event_graphs(draw: st.DrawFn, family: Family) -> EventGraph:
    """Draw a random event graph: small whole durations, so that completions coincide, and few CTAs, slots and bytes."""
    drawing = _Drawing(draw, family)
    for action in draw(st.lists(st.sampled_from(("open", "task", "task", "task", "close")), min_size=5, max_size=18)):
        drawing.act(action)
    graph = drawing.closed()
    return draw(_renumbered(graph)) if family.shuffled else graph


class _Drawing:
    """A graph that grows by random actions: open a launch, add a task to one that is open or to none, close a launch."""

    def __init__(self, draw: st.DrawFn, family: Family) -> None:
        self.draw = draw
        self.family = family
        self.builder = GraphBuilder()
        self.launches: list[HeldLaunch] = []
        self.members: dict[int, list[int]] = {}
        self.count = 0

    def act(self, action: str) -> None:
        if action == "open" and len(self.launches) < self.family.most_launches:
            self._open()
        elif action == "close" and self.members:
            self._close(self.draw(st.sampled_from(sorted(self.members))))
        else:
            self._add_task()

    def closed(self) -> EventGraph:
        for launch in sorted(self.members):
            self._close(launch)
        holds = [launch.holds for launch in self.launches]
        return self.builder.build(sum(holds) if self.family.roomy else CAPACITY_CTAS, BANDWIDTH)

    def _open(self) -> None:
        launch = self.draw(_launches(len(self.launches), self.family))
        self.launches.append(launch)
        index = self.builder.launch(launch)
        self.members[index] = [self._add(Node(f"entry {index}", NodeKind.ENTRY, self._duration_ps(0), launch=index), self._some(1))]

    def _close(self, launch: int) -> None:
        node = Node(f"release {launch}", NodeKind.RELEASE, self._duration_ps(0), launch=launch)
        self._add(node, set(self.members.pop(launch)), release_of=launch)

    def _add_task(self) -> None:
        launch: int | None = self.draw(st.sampled_from([*sorted(self.members) * 3, None]))
        before = self._some(3)
        if launch is not None:
            before.add(self.draw(st.sampled_from(self.members[launch])))
        pools = 1 if launch is None else len(self.launches[launch].pools)
        node = self.draw(_tasks(f"node {self.count}", self._duration_ps(self.family.most_ps), launch, pools))
        if launch is None and node.duration_ps and self.family.kernels and self.draw(st.booleans()):
            node = replace(node, grid=self.draw(GRIDS))
        index = self._add(node, before)
        if launch is not None:
            self.members[launch].append(index)

    def _add(self, node: Node, before: set[int], *, release_of: int | None = None) -> int:
        self.count += 1
        return self.builder.add(node, tuple(before), release_of=release_of)

    def _some(self, most: int) -> set[int]:
        return set(self.draw(st.lists(st.integers(0, self.count - 1), max_size=most))) if self.count else set()

    def _duration_ps(self, most_ps: int) -> int:
        return self.draw(st.integers(self.family.floor_ps, max(most_ps, self.family.floor_ps)))


@st.composite
def _launches(draw: st.DrawFn, index: int, family: Family) -> HeldLaunch:
    kind = draw(st.sampled_from(family.kinds))
    pools = draw(st.lists(st.just(100) if family.roomy else st.sampled_from(family.slots), min_size=1, max_size=2))
    return HeldLaunch(f"launch {index}", draw(st.integers(1, CAPACITY_CTAS)), tuple(pools), kind, draw(st.integers(0, 1)))


@st.composite
def _tasks(draw: st.DrawFn, name: str, duration_ps: int, launch: int | None, pools: int) -> Node:
    kind = draw(st.sampled_from((NodeKind.TASK, NodeKind.TASK, NodeKind.TASK, NodeKind.CONTROL)))
    demand: Fraction | int = draw(st.sampled_from(DEMANDS))
    return Node(name, kind, duration_ps, demand, launch, draw(st.integers(0, pools - 1)))


@st.composite
def _renumbered(draw: st.DrawFn, graph: EventGraph) -> EventGraph:
    """Number the nodes in another order: indices need not be a topological order."""
    order = draw(st.permutations(range(len(graph.nodes))))
    place = {old: new for new, old in enumerate(order)}
    return replace(
        graph,
        nodes=tuple(graph.nodes[old] for old in order),
        predecessors=tuple(tuple(sorted(place[before] for before in graph.predecessors[old])) for old in order),
        releases=tuple(place[release] for release in graph.releases),
    )
