"""Designs as functions of the times that they rest on: scored again without asking again what is feasible, and what fits where."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple

from megasolve.contracts import Contract, Key
from megasolve.simulate import Composition, Deadlock, Objective, Phase, Work, design_key
from megasolve.simulate.plan.candidate import Candidate
from megasolve.simulate.predict.scoring import value_ps
from megasolve.simulate.predict.worlds.behind import KnownBehind
from megasolve.simulate.predict.worlds.scores import is_slow
from megasolve.simulate.predict.worlds.singly import least_in_worlds

from ..evidence.lookup import NoEvidence, RecordUse, apart_ps
from ..search.predicates import Judge, Variant
from ..select.compose import compose
from ..select.result import Ranked


@dataclass(frozen=True, slots=True)
class TimeInUse:
    """One time that designs rest on: the record in *use*, under one of its keys."""

    use: RecordUse
    key: Key

    @property
    def ps(self) -> int:
        """What it is."""
        return self.use.record.time_ps

    @property
    def evidence(self) -> str:
        """Of which kind it is."""
        return self.use.record.provenance.label

    @property
    def name(self) -> str:
        """What it is of, in a few words."""
        shapes = "".join(f", {name} {size}" for name, size in sorted(self.key.shapes.items()))
        return f"{self.key.group} in {self.key.entry} on {self.key.budget_ctas} CTAs{shapes}"

    @property
    def path(self) -> str | None:
        """The path of the field that states it; None for a time that no file does."""
        if self.use.derived is not None:
            return None
        key, shapes = self.key, "".join(f",{name}={size}" for name, size in sorted(self.key.shapes.items()))
        field = "duration_us" if self.use.record.duration_ps is not None else "samples_us"
        return f"records[group={key.group},entry={key.entry},budget={key.budget_ctas},batch={key.batch}{shapes}].{field}"


@dataclass(frozen=True, slots=True)
class _Bound:
    """Where in a composition the time number *time* stands: in which work, at which place; *apart_ps* of it are no part of the service."""

    work: tuple[str, Phase]
    place: int
    time: int
    apart_ps: int


@dataclass(frozen=True, slots=True)
class DesignOfTimes:
    """One choice of entries of the *candidate* that stands at *row* of its ranking, as a function of times; *now_ps* is its score there."""

    row: int
    candidate: Candidate
    composition: Composition
    bound: tuple[_Bound, ...]
    now_ps: Fraction

    @property
    def is_dear(self) -> bool:
        """Whether its score has to be simulated in each world, and so costs far more than a bound of it (`least_ps`)."""
        return is_slow(self.composition)

    @property
    def times(self) -> frozenset[int]:
        """The numbers of the times that it rests on."""
        return frozenset(one.time for one in self.bound)

    def at(self, times: Mapping[int, int]) -> Composition:
        """Return its composition where some *times*, by their numbers, are others."""
        changed: dict[tuple[str, Phase], Work] = {}
        for one in self.bound:
            if one.time in times:
                work = changed.get(one.work, self.composition.works[one.work])
                changed[one.work] = _with_duration(work, one.place, times[one.time], one.apart_ps)
        return replace(self.composition, works={**self.composition.works, **changed})


class _Known(NamedTuple):
    """A score, or a time that it *is_above*: infinity where there is none."""

    ps: Fraction | float
    is_above: bool = False


@dataclass(frozen=True, slots=True)
class Designs:
    """All designs of one question, best first, and the *times* that they rest on."""

    objective: Objective
    rows: tuple[Ranked, ...]
    designs: tuple[DesignOfTimes, ...]
    times: tuple[TimeInUse, ...]
    _functions: dict[int, Hashable] = field(default_factory=dict, repr=False, compare=False)
    _known: KnownBehind = field(default_factory=KnownBehind, repr=False, compare=False)
    _values: dict[Hashable, _Known] = field(default_factory=dict, repr=False, compare=False)

    def function_of(self, design: DesignOfTimes) -> Hashable:
        """Return a value that two designs share if they are the same function of all times: the same event graph, from the same times."""
        if not self._functions:
            # Values that no two times share, and that no sum of others gives, tell which of them stands where.
            apart = {number: 10**18 + number * 10**15 + number for number in range(len(self.times))}
            self._functions.update((id(one), design_key(one.at(apart), self.objective)) for one in self.designs)
        return self._functions[id(design)]

    def value(self, design: DesignOfTimes, times: Mapping[int, int], at_most: Fraction | None = None) -> Fraction | None:
        """Return the exact score of *design* where some times are others; None where it deadlocks, or is above *at_most*.

        No world is simulated twice, and none any further than to see that.
        """
        moved = tuple(sorted((time, times[time]) for time in design.times & times.keys() if times[time] != self.times[time].ps))
        if not moved:
            return design.now_ps
        key = (self.function_of(design), moved)
        known = self._values.get(key)
        if known is None or (known.is_above and (at_most is None or known.ps < at_most)):
            value = value_ps(design.at(dict(moved)), self.objective, known=self._known, at_most=at_most)
            if isinstance(value, float | Deadlock):
                known = _Known(at_most if isinstance(value, float) and at_most is not None else inf, is_above=True)
            else:
                known = _Known(Fraction(value))
            self._values[key] = known
        return known.ps if isinstance(known.ps, Fraction) and not known.is_above else None

    def least_ps(self, design: DesignOfTimes, times: Mapping[int, int]) -> float:
        """Return a time that the score of *design* is not below where some times are others; 0 where none is known."""
        return float(least_in_worlds(design.at(times), self.objective, 1)[0])

    def best(self, some: Iterable[int], times: Mapping[int, int]) -> tuple[Fraction | None, list[int]]:
        """Return the least score of *some* designs, by their places, where some times are others, and which of them have it.

        Both are exact. What would have to be simulated, and has a bound above the least score, is not.
        """
        values: dict[int, Fraction] = {}
        least: Fraction | None = None
        for bound, place in sorted(self._bounds(some, times)):
            if least is not None and bound > least:
                break
            value = self.value(self.designs[place], times, least)
            if value is not None:
                values[place] = value
                least = value if least is None else min(least, value)
        return least, sorted(place for place, value in values.items() if value == least)

    def _bounds(self, some: Iterable[int], times: Mapping[int, int]) -> Iterator[tuple[float, int]]:
        """Yield each of *some* with a time that its score is not below; 0 for those whose score costs no more than one."""
        known: dict[Hashable, float] = {}
        for place in some:
            one = self.designs[place]
            if not one.is_dear or one.times.isdisjoint(times):
                yield 0.0, place
                continue
            key = self.function_of(one)
            if key not in known:
                known[key] = self.least_ps(one, times)
            yield known[key], place


def designs_of(judge: Judge, ranking: Sequence[Ranked]) -> Designs:
    """Return every design of a *ranking* by *judge*, in each of its choices of entries, as a function of times."""
    times: dict[tuple[object, ...], int] = {}
    in_use: list[TimeInUse] = []
    found: list[DesignOfTimes] = []
    for place, row in enumerate(ranking):
        for variant, now_ps in (*((one, row.score_ps) for one in row.tied), *((one.choices, one.score_ps) for one in row.slower)):
            bound: list[_Bound] = []
            for work, number, use, key, contract in _uses(judge, row.candidate, variant):
                identity = (use.document.file, use.path, use.record.group, use.record.budget_ctas, use.record.batch, key.trees)
                if identity not in times:
                    times[identity] = len(in_use)
                    in_use.append(TimeInUse(use, key))
                bound.append(_Bound(work, number, times[identity], _apart_ps(contract, use, judge)))
            composition = compose(judge, row.candidate, variant).composition
            found.append(DesignOfTimes(place, row.candidate, composition, tuple(bound), Fraction(now_ps)))
    return Designs(judge.question.objective, tuple(ranking), tuple(found), tuple(in_use))


def _uses(judge: Judge, candidate: Candidate, variant: Variant) -> Iterator[tuple[tuple[str, Phase], int, RecordUse, Key, Contract]]:
    """Yield where each record of a variant is used: in which work, at which place of it."""
    for choice in variant:
        for need in judge.needs(choice, candidate.policy):
            for place, (key, contract) in enumerate(judge.keys(choice, need)):
                use = judge.evidence.find(key, contract)
                if not isinstance(use, NoEvidence) and need.runs:
                    yield (need.group.name, need.phase), place, use, key, contract.value


def _apart_ps(contract: Contract, use: RecordUse, judge: Judge) -> int:
    return apart_ps(contract, use.record, judge.study.device.value) if contract.backend == "conventional" else 0


def _with_duration(work: Work, place: int, ps: int, apart_ps: int) -> Work:
    # What runs beside the kernel ahead is no part of the call, as long as there is something left of it (`left_ps`); ramps may be added.
    services = list(work.services)
    services[place] = replace(services[place], duration_ps=left_of(ps, apart_ps))
    return replace(work, services=tuple(services))


def left_of(ps: int, apart_ps: int) -> int:
    """Return what is left of a time, in one world or in many, without what runs beside the kernel ahead."""
    if not apart_ps:
        return ps
    left: Any = ps - apart_ps
    return max(left, 0) if isinstance(left, int) else left > 0


def ids_of(designs: Iterable[DesignOfTimes]) -> tuple[str, ...]:
    """Return the candidates of *designs*, each once, in order."""
    return tuple(dict.fromkeys(str(one.candidate) for one in designs))
