"""The model that bounds: CP-SAT chooses arcs that cover the groups so that the longest of all known words is as short as can be.

Where several times are asked for, the words of each have a bound of their own: the first is made as short as can be, then the next under
the least of those before it. Times with a limit only bound what may be chosen. Whatever other rules bear on which arcs may stand together
are constraints on the same literals (`require`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import compress
from operator import mul
from time import monotonic

from ortools.sat.python import cp_model

from ..search.kept import SolverFault
from .space.arcs import Arc, ArcPlace, Ps, Space
from .ways.words import PathWord

# The sum of all coefficients of a constraint stays below this, so that nothing in the solver overflows.
LARGEST_SUM = 1 << 60
SECONDS_UNTIL_ASKED = 0.1


@dataclass(frozen=True, slots=True)
class Answer:
    """What a solve ends with: no cover that is not cut off is below *bounds*; *way* has these, or is None where none was found.

    There is a bound for each time that orders, in units of its clock. *is_last* says that nothing is left.
    """

    bounds: tuple[int, ...]
    way: tuple[Arc, ...] | None
    is_last: bool = False


class Bounding:
    """Minimises the bounds over the covers of one space that are not cut off yet: of the first *ordered* times, one after the other."""

    def __init__(self, space: Space, words: Iterable[PathWord], ordered: int = 1) -> None:
        self.space = space
        self.ordered = ordered
        self.words: list[PathWord] = []
        self._terms: list[tuple[int, list[int]]] = []
        self.model = cp_model.CpModel()
        self.taken = [self.model.new_bool_var(f"{arc.slot.kind}{arc.first}-{arc.last}") for arc in space.arcs]
        self.used = self._slots()
        for group in space.groups:
            self.model.add_exactly_one(literal for arc, literal in self.arcs if group in arc.slot.groups)
        self._acyclic()
        times = range(len(space.clocks))
        self._scales = [max(1, -(-self._most(time) // LARGEST_SUM)) for time in times]
        self.bounds = [self.model.new_int_var(0, LARGEST_SUM, f"bound {time}") for time in times]
        for word in words:
            self.add(word)

    @property
    def arcs(self) -> Iterable[tuple[Arc, cp_model.IntVar]]:
        """Every arc with its literal, for constraints on which may stand together."""
        return zip(self.space.arcs, self.taken, strict=True)

    def _slots(self) -> dict[ArcPlace, cp_model.IntVar]:
        """Return, for each slot, a literal that is true where one of its arcs is taken."""
        literals: dict[ArcPlace, list[cp_model.IntVar]] = {}
        for arc, literal in self.arcs:
            literals.setdefault(arc.slot, []).append(literal)
        used: dict[ArcPlace, cp_model.IntVar] = {}
        for slot, each in literals.items():
            used[slot] = each[0] if len(each) == 1 else self.model.new_bool_var("slot")
            if len(each) > 1:
                self.model.add(sum(each) == used[slot])
        return used

    def _acyclic(self) -> None:
        """Forbid two slots of which each would wait for the other; larger circles are cut off where they come up."""
        if self.space.graph is None:
            return
        of: dict[tuple[str, ...], list[ArcPlace]] = {}
        for slot in self.used:
            for region in slot.regions:
                of.setdefault(region, []).append(slot)
        for one, other in self.space.graph.conflicts():
            for pair in ((first, second) for first in of.get(one, ()) for second in of.get(other, ())):
                self.cut(pair)

    def _most(self, time: int) -> int:
        times = (1, max(self.space.clocks[time].middle_steps, 1), 1)
        entries = [
            sum(times[place] * max(filter(None, matrix), default=0) for place, matrix in enumerate(arc.costs[time].phases))
            for arc in self.space.arcs
        ]
        return 8 * sum(entries) * max(self.space.repeats, default=1)

    def add(self, word: PathWord) -> None:
        """Let the bound of its time be no less than the length of *word*."""
        self.words.append(word)
        scale = self._scales[word.time]
        lengths = [word.length(arc, self.space.repeats) for arc in self.space.arcs]
        # Where the path does not exist nothing is bounded: such an arc takes away all that the others can add up to.
        none = -sum(length for length in lengths if length is not None and length > 0) // scale - 1
        terms = [(length // scale if length is not None else none) for length in lengths]
        self._terms.append((word.time, terms))
        self.model.add(cp_model.LinearExpr.weighted_sum(self.taken, terms) <= self.bounds[word.time])

    def length(self, way: Sequence[Arc], time: int) -> int:
        """Return the length of the longest known word of *time* along *way*."""
        lengths = (word.along(way, self.space.repeats) for word in self.words if word.time == time)
        return max((length for length in lengths if length is not None), default=0)

    def limit(self, time: int, at_most_ps: Ps) -> None:
        """Leave out what has a *time* above *at_most_ps*."""
        self.model.add(self.bounds[time] <= self._units(time, at_most_ps))

    def beat(self, order: Sequence[Ps]) -> None:
        """Leave out what is as long as *order* in every time that orders, or longer."""
        shorter = [self.model.new_bool_var("shorter") for _ in order]
        for time, (literal, ps) in enumerate(zip(shorter, order, strict=True)):
            value = ps * self.space.clocks[time].divisor
            below = Fraction(-(-value.numerator // value.denominator) - 1, self.space.clocks[time].divisor)
            self.model.add(self.bounds[time] <= self._units(time, below)).only_enforce_if(literal)
        self.model.add_bool_or(shorter)

    def _units(self, time: int, ps: Ps) -> int:
        """Return a score in the units of a bound, rounded down: all coefficients are, so what is within it stays so."""
        value = Fraction(ps) * self.space.clocks[time].divisor / self._scales[time]
        return min(value.numerator // value.denominator, LARGEST_SUM)

    def cut(self, slots: Sequence[ArcPlace]) -> None:
        """Cut off all covers with these slots together."""
        self.model.add_bool_or([self.used[slot].negated() for slot in dict.fromkeys(slots)])

    def cut_choices(self, way: Sequence[Arc]) -> None:
        """Cut off one choice of entries of a cover."""
        literals = [literal for arc, literal in self.arcs if any(arc is one for one in way)]
        self.model.add_bool_or([literal.negated() for literal in literals])

    def solve(self, *, seconds: float | None = None, is_stopped: Callable[[], bool] = lambda: False) -> Answer:
        """Return the cover of least bounds that is not cut off; what is known of it when the time is over, or when it is stopped."""
        ends = None if seconds is None else monotonic() + seconds
        while True:
            answer, taken = self._solved(ends, is_stopped)
            if taken is None:
                return answer
            if (way := self.space.ordered(taken)) is not None:
                return replace(answer, way=way)
            self.cut([arc.slot for arc in taken])

    def _solved(self, ends: float | None, is_stopped: Callable[[], bool]) -> tuple[Answer, list[Arc] | None]:
        """Minimise one bound after the other; return them, and the arcs that have them; None where that is not known."""
        found: list[int] = []
        taken: list[Arc] | None = None
        for time in range(self.ordered):
            self.model.minimize(self.bounds[time])
            solver = _solver(None if ends is None else ends - monotonic())
            status = _run(solver, self.model, is_stopped)
            if status == cp_model.INFEASIBLE:
                return Answer((0,) * self.ordered, None, is_last=True), None
            if status == cp_model.MODEL_INVALID:
                raise SolverFault(f"CP-SAT ended as {solver.status_name(status)}: {self.model.validate()}")
            is_optimal = status == cp_model.OPTIMAL
            found.append(solver.value(self.bounds[time]) if is_optimal else max(0, int(solver.response_proto.inner_objective_lower_bound)))
            if not is_optimal:
                found += [0] * (self.ordered - len(found))
                taken = None
                break
            chosen = [solver.boolean_value(literal) for literal in self.taken]
            if (least := self._least(time, chosen)) < found[time]:
                raise SolverFault(f"CP-SAT proves that no cover is below {found[time]}, and answers with one that is bounded by {least}")
            taken = list(compress(self.space.arcs, chosen))
            self._hold(time, found[time])
        for time in range(self.ordered - 1):
            self._hold(time, LARGEST_SUM)
        return Answer(tuple(map(mul, found, self._scales)), None), taken

    def _least(self, time: int, chosen: Sequence[bool]) -> int:
        """Return the bound of one time that the words ask for where these arcs are *chosen*."""
        return max((0, *(sum(compress(terms, chosen)) for of, terms in self._terms if of == time)))

    def _hold(self, time: int, most: int) -> None:
        """Let the bound of one time be no more than it is at least, while the next one is minimised."""
        if time < self.ordered - 1:
            self.model.proto.variables[self.bounds[time].index].domain[1] = most


def _solver(seconds: float | None) -> cp_model.CpSolver:
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    # All that matters here is linear: the whole of it in the relaxation, and no time spent on symmetry, is ten times as fast.
    solver.parameters.linearization_level = 2
    solver.parameters.symmetry_level = 0
    # What presolve does with linear constraints that share terms proves wrong optima in OR-Tools 9.15 (google/or-tools issue 5293).
    solver.parameters.presolve_inclusion_work_limit = 0
    # An interrupt ends the program, not only the search.
    solver.parameters.catch_sigint_signal = False
    if seconds is not None:
        solver.parameters.max_time_in_seconds = max(seconds, 0.001)
    return solver


def _run(solver: cp_model.CpSolver, model: cp_model.CpModel, is_stopped: Callable[[], bool]) -> cp_model.CpSolverStatus:
    """Solve in a thread: an interrupt reaches only the main one, and only while it runs no foreign code."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(solver.solve, model)
        while not wait([running], timeout=SECONDS_UNTIL_ASKED).done:
            if is_stopped():
                solver.stop_search()
        return running.result()
