"""The event graphs that the benchmarks simulate: chains of launches that hold CTAs, tasks that share bandwidth."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from megasolve.simulate.events.graph import EventGraph, GraphBuilder, HeldLaunch, Node, NodeKind

CAPACITY_CTAS = 132
BANDWIDTH = 10_000


@dataclass(frozen=True, slots=True)
class Shape:
    """*chains* of launches; a launch holds *holds* CTAs for *depth* layers of *width* tasks, at most *slots* at a time."""

    name: str
    chains: int = 6
    width: int = 8
    depth: int = 10
    slots: int = 6
    holds: tuple[int, ...] = (44, 88, 44, 44)


CHAINS = Shape("chains")
LAYERS = Shape("layers", width=16, slots=16, holds=(44,))
WIDE = Shape("wide", chains=3, width=132, depth=5, slots=132, holds=(44,))


def workload(shape: Shape, nodes: int, seed: int = 7) -> EventGraph:
    """Return a graph of about *nodes* nodes; durations are random enough that no two completions coincide by chance."""
    random = Random(seed)
    builder = GraphBuilder()
    ends: list[tuple[int, ...]] = [()] * shape.chains
    launches = max(shape.chains, nodes // (shape.width * shape.depth + 2))
    for index in range(launches):
        chain = index % shape.chains
        ends[chain] = (_launch(builder, shape, random, index, ends[chain]),)
    return builder.build(CAPACITY_CTAS, BANDWIDTH)


def _launch(builder: GraphBuilder, shape: Shape, random: Random, index: int, after: tuple[int, ...]) -> int:
    """Append one launch behind *after* and return its release node."""
    launch = builder.launch(HeldLaunch(f"launch {index}", random.choice(shape.holds), (shape.slots,)))
    layer = [builder.add(Node("entry", NodeKind.ENTRY, 0, launch=launch), after)] * 2
    last: set[int] = set()  # the tasks that no other task follows
    for _ in range(shape.depth):
        before = [tuple(random.sample(layer, 2)) for _ in range(shape.width)]
        layer = [builder.add(_task(random, launch), two) for two in before]
        last = last.difference(*before).union(layer)
    return builder.add(Node("release", NodeKind.RELEASE, 0, launch=launch), tuple(last), release_of=launch)


def _task(random: Random, launch: int) -> Node:
    """Draw a task of 0.5 to 1.5 ms; seven in ten load memory, with 5, 10, 15 or 20 % of the bandwidth: four records."""
    demand = random.choice((500, 1_000, 1_500, 2_000)) if random.random() < 0.7 else 0
    return Node("task", NodeKind.TASK, random.randint(500_000_000, 1_500_000_000), demand, launch)
