"""Algorithm 1 of the paper, SIMULATE(G, T, L, C), line by line, in rationals: slow, and the judge of the engine.

Comments carry the line numbers of the listing. Three things are added, each marked: pools (the paper has one per launch),
the two other kinds of admission, and, with *settle*, the refinement that nodes of zero duration complete before anything is
admitted. READY, a queue without a stated order in the paper, is kept sorted by (time at which the node became ready, index).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from megasolve.simulate.events.graph import Admission, EventGraph, NodeKind


@dataclass(frozen=True)
class Stuck:
    """DEADLOCK: the time, the free CTAs, what launches hold, and the nodes that are not done."""

    at: Fraction
    free_ctas: int
    held: dict[str, int]
    undone: tuple[int, ...]


@dataclass
class Algorithm1:
    """The state of the listing, under its names."""

    graph: EventGraph
    settle: bool = True
    time: Fraction = Fraction(0)
    ready: list[tuple[Fraction, int]] = field(default_factory=list)
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
        self.ready = [(self.time, v) for v in range(len(nodes)) if not self.graph.predecessors[v]]  # 3

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
                self._complete(v)  # 32 to 40
        return [self.finish[v] for v in range(len(self.graph.nodes))]  # 43

    def _admit_and_start(self, entry: tuple[Fraction, int]) -> None:
        v = entry[1]
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
        taken = min(self.free_cta, contract.holds - self.held[launch])  # added: ordinary and elastic launches take what is free
        self.free_cta -= taken  # 9
        self.held[launch] += taken
        if self.held[launch] == contract.holds or (contract.admission is Admission.ELASTIC and self.held[launch] > 0):
            self.admitted.add(launch)  # 8
            self._apply_wave_rule(launch)

    def _apply_wave_rule(self, launch: int) -> None:
        """Added: Q/B + (T - Q/B) * ceil(g/W) / ceil(g/W0) for the tasks of an elastic launch."""
        contract = self.graph.launches[launch]
        if contract.admission is not Admission.ELASTIC or contract.resident_ctas is None:
            return
        waves = Fraction(-(-contract.holds // self.held[launch]), -(-contract.holds // contract.resident_ctas))
        for v, node in enumerate(self.graph.nodes):
            if node.launch == launch and node.kind is NodeKind.TASK and node.duration_ps:
                traffic = self.q[v] * self.t_rem[v]
                memory = traffic / self.graph.bandwidth_bytes_per_s
                self.t_rem[v] = memory + max(Fraction(0), self.t_rem[v] - memory) * waves
                self.q[v] = min(traffic / self.t_rem[v], Fraction(self.graph.bandwidth_bytes_per_s))

    def _has_slot(self, v: int) -> bool:
        """Line 11, |{u in RUNNING : launch[u] = L}| < max tasks[L], counted per pool; only tasks count."""
        node = self.graph.nodes[v]
        if node.kind is not NodeKind.TASK or node.launch is None:
            return True
        rivals = (self.graph.nodes[u] for u in self.running)
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
        self.ready.extend((self.time, w) for w in self._woken_by(v))  # 38 to 40
        self.ready.sort()

    def _woken_by(self, v: int) -> Iterator[int]:
        for w, before in enumerate(self.graph.predecessors):
            if v in before and self.done.issuperset(before):
                yield w

    def _settle(self) -> None:
        """Added: complete what takes no time and needs no admission, until nothing is left of it."""
        while passing := [entry for entry in self.ready if self._passes(entry[1])]:
            self.ready.remove(passing[0])
            self._complete(passing[0][1])

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
