"""Scores from the words of docs/method.md, section 4, node by node: one class for each way in which kernels are launched.

Reads contracts, device and records by itself and shares no code with the planner. Only for studies in which nothing waits for
memory or for CTAs: a score is then the longest path through the nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from megasolve.contracts import Contract, Spec, Study

Stage = int | str  # "admission", the number of a step, or "chunk"


@dataclass
class Chart:
    """Nodes with the instants at which they end, and the node behind which the host is free."""

    ends: list[int] = field(default_factory=list)
    spent_ps: int = 0
    host: tuple[int, ...] = ()

    def node(self, ps: int, after: Sequence[int]) -> int:
        """Append a node that takes *ps* and begins when all of *after* have ended."""
        self.ends.append(max((self.ends[one] for one in after), default=0) + ps)
        self.spent_ps += ps
        return len(self.ends) - 1

    def dispatch(self, host_ps: int, exposed_ps: int, after: Sequence[int], *, host_waits: bool) -> int:
        """Append the host part and the exposed part of one launch that waits for *after*."""
        self.host = (self.node(host_ps, [*self.host, *(after if host_waits else ())]),)
        return self.node(exposed_ps, [*self.host, *after])


@dataclass(frozen=True)
class Kernel:
    """One kernel of a call: how long it runs, and its figures: the contract's, or the device's where the contract has none."""

    ps: int
    host_ps: int
    exposed_ps: int
    gap_ps: int
    host_waits: bool


@dataclass(frozen=True)
class ByItself:
    """A kernel of kind `stream` or `cooperative`: a launch of its own."""

    kernels: tuple[Kernel, ...]

    def put(self, chart: Chart, after: Sequence[int]) -> tuple[int, ...]:
        """Append the launch of each kernel, each behind the kernel before it."""
        for kernel in self.kernels:
            launched = chart.dispatch(kernel.host_ps, kernel.exposed_ps, after, host_waits=kernel.host_waits)
            after = (chart.node(kernel.ps, [chart.node(kernel.gap_ps, [launched])]),)
        return tuple(after)


@dataclass(frozen=True)
class InOneGraph:
    """The kernels of one occurrence of a region of kind `graph`: one launch, and before each kernel its gap."""

    kernels: tuple[Kernel, ...]

    def put(self, chart: Chart, after: Sequence[int]) -> tuple[int, ...]:
        """Append the launch of the dearest kernel, then all kernels."""
        dearest = max(self.kernels, key=lambda one: (one.host_ps + one.exposed_ps, one.host_ps))
        waits = True in [one.host_waits for one in self.kernels]
        last = chart.dispatch(dearest.host_ps, dearest.exposed_ps, after, host_waits=waits)
        for kernel in self.kernels:
            last = chart.node(kernel.ps, [chart.node(kernel.gap_ps, [last])])
        return (last,)


@dataclass(frozen=True)
class Resident:
    """A megakernel: one launch for all that it runs; by graph it has its gap."""

    entry: Kernel

    def enter(self, chart: Chart, after: Sequence[int]) -> tuple[int, ...]:
        """Append the launch."""
        launched = chart.dispatch(self.entry.host_ps, self.entry.exposed_ps, after, host_waits=self.entry.host_waits)
        return (chart.node(self.entry.gap_ps, [launched]),)


class LiteralStudy:
    """The figures of a study at batch 1; with *free* launches and gaps take no time."""

    def __init__(self, study: Study, *, free: bool = False) -> None:
        self.spec: Spec = study.spec.value
        self.contracts = {one.value.entry: one.value for one in study.contracts}
        self.device = study.device.value
        self.free = free
        self.times = {
            (entry, one.group, one.budget_ctas): one.time_ps
            for document in study.records
            for one in document.value.records
            for entry in one.entries
        }
        stream, publication = self.spec.stream, self.spec.publication
        self.ready = stream.delay + stream.first_chunk if stream else 0
        self.horizon = max(self.ready, self.ready + stream.lookahead) if stream else (publication.step or 0 if publication else 0)
        self.cycle_steps = (stream.next_chunk or stream.first_chunk) if stream else 1
        self.waits_for = publication.group if publication else None

    def groups(self, role: str) -> list[str]:
        """The groups of *role* in order."""
        return [group.name for group in self.spec.groups if group.role == role]

    def calls(self, group: str) -> int:
        """How many calls one occurrence of *group* has."""
        return next(one.calls for one in self.spec.groups if one.name == group)

    def kernel(self, contract: Contract, ps: int) -> Kernel:
        """Return a kernel of *contract* that runs for *ps*."""
        own, waits = contract.dispatch, contract.dispatch.host_waits
        if self.free:
            return Kernel(ps, 0, 0, 0, waits)
        if own.kind != "graph" and own.gap_ps is not None:
            return Kernel(ps, own.host_ps or 0, own.exposed_ps or 0, own.gap_ps, waits)
        theirs = {"stream": self.device.launch.stream, "graph": self.device.launch.graph, "cooperative": self.device.launch.cooperative}
        names = ("host_ps", "exposed_ps", "gap_ps")
        host_ps, exposed_ps, gap_ps = (next(iter(_stated(name, own, theirs[own.kind])), 0) for name in names)
        return Kernel(ps, host_ps, exposed_ps, gap_ps if own.kind == "graph" else 0, waits)

    def kernels(self, entries: Sequence[str], group: str) -> Iterator[Kernel]:
        """Yield the kernels of one occurrence of *group*: a record of n launches is n kernels, the longer ones first."""
        own = [self.contracts[entry] for entry in entries if self.contracts[entry].members == (group,)]
        for _ in range(self.calls(group)):
            for contract in own:
                total, count = self.times[contract.entry, group, self.device.sms], contract.kernels
                for index in range(count):
                    yield self.kernel(contract, total // count + (1 if index < total % count else 0))


def _stated(name: str, *sources: object) -> Iterator[int]:
    return (getattr(one, name) for one in sources if getattr(one, name, None) is not None)


@dataclass(frozen=True)
class Region:
    """One region of a candidate: its backend's letter, its groups and its entries."""

    letter: str
    groups: tuple[str, ...]
    entries: tuple[str, ...]


class LiteralCandidate:
    """A candidate in one choice of entries."""

    def __init__(self, study: LiteralStudy, name: str, entries: Sequence[tuple[str, ...]]) -> None:
        cover, _, policy = name.partition("@")
        self.study = study
        self.kind, _, split = policy.partition(":")
        self.x, self.y = map(int, split.split("/")) if split else (0, 0)
        parts = [part.split(":") for part in cover.split("/")]
        self.regions = [Region(letter, tuple(groups.split("+")), chosen) for (letter, groups), chosen in zip(parts, entries, strict=True)]

    def first_publication(self) -> tuple[int, int]:
        """Return when the first publication comes, and what all nodes take together."""
        chart, study = Chart(), self.study
        every = [(group, "admission") for group in study.groups("admission")]
        if self.kind == "serial":
            occurrences = [*every, *self._steps(study.horizon), *((group, "chunk") for group in study.groups("consumer"))]
            if study.waits_for is not None:
                last = max(index for index, (group, _) in enumerate(occurrences) if group == study.waits_for)
                occurrences = occurrences[: last + 1]
            done = self._serial(chart, occurrences, ())
        elif self.kind == "fixed":
            done = self._fixed(chart)
        else:
            done = self._dynamic(chart, self._serial(chart, [*every, *self._steps(study.ready)], ()))
        return max(chart.ends[one] for one in done), chart.spent_ps

    def cycle(self) -> tuple[Fraction, Fraction]:
        """Return the steady time of a producer step, and from chunk to chunk."""
        study, chart = self.study, Chart()
        if self.kind == "serial":
            whole = self._serial_cycle()
            return whole / study.cycle_steps, whole
        if self.kind == "fixed":
            made, taken = self._run(chart, self._maker, study.cycle_steps, ()), self._chunk(chart, ())
        elif not self._loops(self._maker):
            made, taken = self._relaunched(chart, study.cycle_steps, ())
        else:
            taken = self._chunk(chart, self._resident(self._taker).enter(chart, ()))
            made = self._run(chart, self._maker, study.cycle_steps, ())
        ends = [chart.ends[side[0]] for side in (made, taken)]
        return Fraction(ends[0], study.cycle_steps), Fraction(max(ends))

    @property
    def _maker(self) -> Region:
        return self._region(self.study.groups("producer")[0])

    @property
    def _taker(self) -> Region:
        return self._region(self.study.groups("consumer")[0])

    def _region(self, group: str) -> Region:
        return next(region for region in self.regions if group in region.groups)

    def _steps(self, count: int) -> list[tuple[str, Stage]]:
        return [(group, step) for step in range(1, count + 1) for group in self.study.groups("producer")]

    def _loops(self, region: Region) -> bool:
        return self.study.contracts[region.entries[0]].loops_on_device is not False

    def _resident(self, region: Region) -> Resident:
        return Resident(self.study.kernel(self.study.contracts[region.entries[0]], 0))

    def _work(self, chart: Chart, region: Region, group: str, ctas: int, after: Sequence[int]) -> tuple[int, ...]:
        """Append one occurrence of *group* inside a megakernel."""
        for _ in range(self.study.calls(group)):
            after = (chart.node(self.study.times[region.entries[0], group, ctas], after),)
        return tuple(after)

    def _serial(self, chart: Chart, occurrences: Sequence[tuple[str, Stage]], after: Sequence[int]) -> tuple[int, ...]:
        """Append launches one after the other on the whole device."""
        for region, run in self._launches(occurrences):
            if region.letter == "m":
                after = self._resident(region).enter(chart, after)
                for group in run:
                    after = self._work(chart, region, group, self.study.device.sms, after)
                continue
            kernels = tuple(kernel for group in run for kernel in self.study.kernels(region.entries, group))
            is_graph = self.study.contracts[region.entries[0]].dispatch.kind == "graph"
            after = (InOneGraph if is_graph else ByItself)(kernels).put(chart, after)
        return tuple(after)

    def _launches(self, occurrences: Sequence[tuple[str, Stage]]) -> list[tuple[Region, list[str]]]:
        """Cut the order: a megakernel covers all that follows in its region, a conventional region ends with its stage."""
        found: list[tuple[Region, list[str]]] = []
        before: Stage | None = None
        for group, stage in occurrences:
            region = self._region(group)
            is_next_step = before != stage and isinstance(before, int) and isinstance(stage, int)
            cut = before != stage if region.letter == "c" else is_next_step and not self._loops(region)
            if found and found[-1][0] is region and not cut:
                found[-1][1].append(group)
            else:
                found.append((region, [group]))
            before = stage
        return found

    def _run(self, chart: Chart, region: Region, steps: int, after: Sequence[int]) -> tuple[int, ...]:
        """Append *steps* steps on the producers' side of the split."""
        for _ in range(steps):
            for group in self.study.groups("producer"):
                after = self._work(chart, region, group, self.x, after)
        return tuple(after)

    def _chunk(self, chart: Chart, after: Sequence[int]) -> tuple[int, ...]:
        for group in self.study.groups("consumer"):
            after = self._work(chart, self._taker, group, self.y, after)
        return tuple(after)

    def _fixed(self, chart: Chart) -> tuple[int, ...]:
        study, maker, taker = self.study, self._maker, self._taker
        ahead = [group for group in study.groups("admission") if group not in maker.groups]
        admitted = self._serial(chart, [(group, "admission") for group in ahead], ())
        makes = self._resident(maker).enter(chart, admitted)
        takes = makes if maker is taker else self._resident(taker).enter(chart, admitted)
        for group in study.groups("admission"):
            if group in maker.groups:
                makes = self._work(chart, maker, group, self.x + self.y if maker is taker else self.x, makes)
        ready = self._run(chart, maker, study.ready, makes)
        taken = self._chunk(chart, [*takes, *ready])
        return (*self._run(chart, maker, study.horizon - study.ready, ready), *taken)

    def _dynamic(self, chart: Chart, ready: Sequence[int]) -> tuple[int, ...]:
        steps = self.study.horizon - self.study.ready
        if not steps:
            return self._chunk(chart, self._resident(self._taker).enter(chart, ready))
        if not self._loops(self._maker):
            made, taken = self._relaunched(chart, steps, ready)
            return (*made, *taken)
        makes = self._resident(self._maker).enter(chart, ready)
        takes = self._resident(self._taker).enter(chart, ready)
        return (*self._run(chart, self._maker, steps, makes), *self._chunk(chart, takes))

    def _relaunched(self, chart: Chart, steps: int, ready: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Launch the producer again for each step, the consumer after the first."""
        made = self._run(chart, self._maker, 1, self._resident(self._maker).enter(chart, ready))
        taken = self._chunk(chart, self._resident(self._taker).enter(chart, ready))
        for _ in range(steps - 1):
            made = self._run(chart, self._maker, 1, self._resident(self._maker).enter(chart, made))
        return made, taken

    def _serial_cycle(self, cycles: int = 120) -> Fraction:
        """Walk many cycles; after the first ones two take twice the steady time. One that is never left is never launched."""
        study, chart = self.study, Chart()
        occurrences = [*self._steps(study.cycle_steps), *((group, "chunk") for group in study.groups("consumer"))]
        if self._maker.letter == "m" and self._loops(self._maker) and {group for group, _ in occurrences} <= {*self._maker.groups}:
            for group, _ in occurrences:
                self._work(chart, self._maker, group, study.device.sms, ())
            return Fraction(chart.spent_ps)
        after: tuple[int, ...] = ()
        ends = []
        for _ in range(cycles):
            after = self._serial(chart, occurrences, after)
            ends.append(chart.ends[after[0]])
        return Fraction(ends[-1] - ends[-3], 2)
