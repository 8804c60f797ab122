"""Algorithm 1 of the paper, SIMULATE(G, T, L, C), line by line, in rationals: slow, and the judge of the engine.

Comments carry the line numbers of the listing. Four things are added, each marked: pools (the paper has one per launch), ordinary
launches, kernels that take SMs wave by wave, and, with *settle*, the refinement that nodes of zero duration complete before anything
is admitted. READY, a queue without a stated order in the paper, is kept sorted by (time at which the node became ready, priority, index).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor

from megasolve.simulate.events.graph import Admission, EventGraph, NodeKind


@dataclass(frozen=True)
class Stuck:
    """DEADLOCK: the time, the free CTAs, what launches hold, and the nodes that are not done."""

    at: Fraction
    free_ctas: int
    held: dict[str, int]
    undone: tuple[int, ...]


@dataclass(frozen=True)
class WaveOf:
    """Added: CTAs of the kernel of node *v* that run together. They are one more member of RUNNING, under a number behind all nodes."""

    v: int
    ctas: int
    sms: int


@dataclass
class Algorithm1:
    """The state of the listing, under its names."""

    graph: EventGraph
    settle: bool = True
    time: Fraction = Fraction(0)
    ready: list[tuple[Fraction, int, int]] = field(default_factory=list)
    running: list[int] = field(default_factory=list)
    done: set[int] = field(default_factory=set)
    admitted: set[int] = field(default_factory=set)
    finish: dict[int, Fraction] = field(default_factory=dict)

    def __post_init__(self) -> None:
        nodes = self.graph.nodes
        self.t_rem = {v: Fraction(nodes[v].duration_ps) for v in range(len(nodes))}  # 1
        self.q = {v: Fraction(nodes[v].demand) for v in range(len(nodes))}
        self.free_cta = self.graph.capacity_ctas  # 2
        self.held = dict.fromkeys(range(len(self.graph.launches)), 0)
        self.ready = sorted((self.time, self._priority(v), v) for v in range(len(nodes)) if not self.graph.predecessors[v])  # 3
        self.waves: dict[int, WaveOf] = {}
        self.begun: dict[int, Fraction] = {}
        self.owed: dict[int, Fraction] = {}
        self.left = {v: node.grid.ctas for v, node in enumerate(nodes) if node.grid is not None}

    def simulate(self) -> list[Fraction] | Stuck:
        while len(self.done) < len(self.graph.nodes):  # 4
            if self.settle:
                self._settle()
            for entry in list(self.ready):  # 5
                self._admit_and_start(entry)  # 6 to 13
            if not self.running:  # 15
                if len(self.done) == len(self.graph.nodes):
                    break
                return self._stuck()  # 16
            q_tot = sum(self.q[v] for v in self.running)  # 18
            rate = {v: self._rate(v, Fraction(q_tot)) for v in self.running}  # 19 to 25
            delta = min(self.t_rem[v] / rate[v] for v in self.running)  # 26
            self.time += delta  # 27
            for v in self.running:  # 28
                self.t_rem[v] -= rate[v] * delta  # 29
            for v in sorted(v for v in self.running if self.t_rem[v] == 0):  # 31
                self.running.remove(v)
                self._end_wave(v) if v in self.waves else self._complete(v)  # 32 to 40
        return [self.finish[v] for v in range(len(self.graph.nodes))]  # 43

    def _priority(self, v: int) -> int:
        node = self.graph.nodes[v]
        if node.grid is not None:
            return node.grid.priority
        return 0 if node.launch is None else self.graph.launches[node.launch].priority

    def _admit_and_start(self, entry: tuple[Fraction, int, int]) -> None:
        v = entry[2]
        if v in self.left:
            self._start_wave(entry, v)
            return
        launch = self._launch(v)  # 6
        if launch is not None and launch not in self.admitted:  # 7
            self._admit(launch)  # 8 and 9
        if launch is None or (launch in self.admitted and self._has_slot(v)):  # 11
            self.ready.remove(entry)  # 12
            self.running.append(v)

    def _admit(self, launch: int) -> None:
        contract = self.graph.launches[launch]
        if contract.admission is Admission.COOPERATIVE and self.free_cta < contract.holds:  # 7
            return
        taken = min(self.free_cta, contract.holds - self.held[launch])  # added: ordinary launches take what is free
        self.free_cta -= taken  # 9
        self.held[launch] += taken
        if self.held[launch] == contract.holds:
            self.admitted.add(launch)  # 8

    def _start_wave(self, entry: tuple[Fraction, int, int], v: int) -> None:
        """Added: the CTAs of a kernel that are left take the SMs that are free; it stays in READY while CTAs of it are left."""
        node, bandwidth = self.graph.nodes[v], Fraction(self.graph.bandwidth_bytes_per_s)
        grid = node.grid
        assert grid is not None
        sms = min(self.free_cta, -(-self.left[v] // grid.per_sm))
        if not sms:
            return
        ctas = min(self.left[v], sms * grid.per_sm)
        self.free_cta -= sms
        self.left[v] -= ctas
        self.begun.setdefault(v, self.time)
        # Its bytes are spread over its CTAs, its compute part over its waves: Q/B * c/g + (T - Q/B) / ceil(g/W0).
        traffic = self.q[v] * self.t_rem[v]
        memory = traffic / bandwidth
        rounds = -(-grid.ctas // grid.resident_ctas)
        self.owed[v] = self.owed.get(v, Fraction(0)) + memory * ctas / grid.ctas + max(Fraction(0), self.t_rem[v] - memory) / rounds
        takes = Fraction(max(1, floor(self.owed[v])))  # whole ps; what is lost by that the next wave gets
        self.owed[v] -= takes
        wave = len(self.graph.nodes) + len(self.waves)
        self.waves[wave] = WaveOf(v, ctas, sms)
        self.q[wave] = min(traffic * ctas / grid.ctas / takes, bandwidth)
        if not self.left[v]:
            self.ready.remove(entry)
            takes = max(takes, self.t_rem[v] - (self.time - self.begun[v]))  # a kernel takes no less than it does alone
        self.t_rem[wave] = takes
        self.running.append(wave)

    def _end_wave(self, wave: int) -> None:
        """Added: the SMs of a wave come free; the last wave completes its kernel."""
        ended = self.waves[wave]
        self.free_cta += ended.sms
        if not self.left[ended.v] and all(self.waves[other].v != ended.v for other in self.running if other in self.waves):
            self._complete(ended.v)

    def _has_slot(self, v: int) -> bool:
        """Line 11, |{u in RUNNING : launch[u] = L}| < max tasks[L], counted per pool; only tasks count."""
        node = self.graph.nodes[v]
        if node.kind is not NodeKind.TASK or node.launch is None:
            return True
        rivals = (self.graph.nodes[u] for u in self.running if u not in self.waves)
        taken = sum(u.kind is NodeKind.TASK and (u.launch, u.pool) == (node.launch, node.pool) for u in rivals)
        return taken < self.graph.launches[node.launch].pools[node.pool]

    def _launch(self, v: int) -> int | None:
        """A release node follows the tasks of its launch and needs no admission."""
        return None if v in self.graph.releases else self.graph.nodes[v].launch

    def _rate(self, v: int, q_tot: Fraction) -> Fraction:
        if self.q[v] == 0:  # 20
            return Fraction(1)  # 21
        return min(Fraction(1), self.graph.bandwidth_bytes_per_s / q_tot)  # 23

    def _complete(self, v: int) -> None:
        self.finish[v] = self.time  # 32
        self.done.add(v)  # 33
        for launch, release in enumerate(self.graph.releases):
            if v == release:  # 34
                self.admitted.discard(launch)  # 35
                self.free_cta += self.held[launch]  # 36
                self.held[launch] = 0
        self.ready.extend((self.time, self._priority(w), w) for w in self._woken_by(v))  # 38 to 40
        self.ready.sort()

    def _woken_by(self, v: int) -> Iterator[int]:
        for w, before in enumerate(self.graph.predecessors):
            if v in before and self.done.issuperset(before):
                yield w

    def _settle(self) -> None:
        """Added: complete what takes no time and needs no admission, until nothing is left of it."""
        while passing := [entry for entry in self.ready if self._passes(entry[2])]:
            self.ready.remove(passing[0])
            self._complete(passing[0][2])

    def _passes(self, v: int) -> bool:
        launch = self._launch(v)
        return self.t_rem[v] == 0 and (launch is None or (launch in self.admitted and self._has_slot(v)))

    def _stuck(self) -> Stuck:
        held = {self.graph.launches[launch].name: ctas for launch, ctas in self.held.items() if ctas}
        undone = tuple(v for v in range(len(self.graph.nodes)) if v not in self.done)
        return Stuck(self.time, self.free_cta, held, undone)


def simulate_literally(graph: EventGraph, *, settle: bool = True) -> list[Fraction] | Stuck:
    """Return the finish time of each node, or the deadlock; with ``settle=False`` exactly as printed."""
    return Algorithm1(graph, settle).simulate()
