"""The model that bounds: CP-SAT chooses arcs that cover the groups so that the longest of all known words is as short as can be.

Whatever other rules bear on which arcs may stand together are constraints on the same literals (`require`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass

from ortools.sat.python import cp_model

from ..search.kept import SolverFault
from .space.arcs import Arc, ArcPlace, Space
from .ways.words import PathWord

# The sum of all coefficients of a constraint stays below this, so that nothing in the solver overflows.
LARGEST_SUM = 1 << 60
SECONDS_UNTIL_ASKED = 0.1


@dataclass(frozen=True, slots=True)
class Answer:
    """What a solve ends with: no cover that is not cut off is below *bound*; *way* has that bound, or is None where none was found.

    *is_last* says that nothing is left.
    """

    bound: int
    way: tuple[Arc, ...] | None
    is_last: bool = False


class Bounding:
    """Minimises the bound over the covers of one space that are not cut off yet."""

    def __init__(self, space: Space, words: Iterable[PathWord]) -> None:
        self.space = space
        self.words: list[PathWord] = []
        self.model = cp_model.CpModel()
        self.taken = [self.model.new_bool_var(f"{arc.slot.kind}{arc.first}-{arc.last}") for arc in space.arcs]
        self.used = self._slots()
        for group in space.groups:
            self.model.add_exactly_one(literal for arc, literal in self.arcs if group in arc.slot.groups)
        self._acyclic()
        self._scale = max(1, -(-self._most() // LARGEST_SUM))
        self.bound = self.model.new_int_var(0, LARGEST_SUM, "bound")
        self.model.minimize(self.bound)
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

    def _most(self) -> int:
        times = (1, max(self.space.middle_steps, 1), 1)
        entries = [
            sum(times[place] * max(filter(None, matrix), default=0) for place, matrix in enumerate(arc.phases)) for arc in self.space.arcs
        ]
        return 8 * sum(entries) * max(self.space.repeats, default=1)

    def add(self, word: PathWord) -> None:
        """Let the bound be no less than the length of *word*."""
        self.words.append(word)
        lengths = [word.length(arc, self.space.repeats) for arc in self.space.arcs]
        # Where the path does not exist nothing is bounded: such an arc takes away all that the others can add up to.
        none = -sum(length for length in lengths if length is not None and length > 0) // self._scale - 1
        terms = [(length // self._scale if length is not None else none) for length in lengths]
        self.model.add(cp_model.LinearExpr.weighted_sum(self.taken, terms) <= self.bound)

    def cut(self, slots: Sequence[ArcPlace]) -> None:
        """Cut off all covers with these slots together."""
        self.model.add_bool_or([self.used[slot].negated() for slot in dict.fromkeys(slots)])

    def cut_choices(self, way: Sequence[Arc]) -> None:
        """Cut off one choice of entries of a cover."""
        literals = [literal for arc, literal in self.arcs if any(arc is one for one in way)]
        self.model.add_bool_or([literal.negated() for literal in literals])

    def solve(self, *, seconds: float | None = None, is_stopped: Callable[[], bool] = lambda: False) -> Answer:
        """Return the cover of least bound that is not cut off; what is known of it when the time is over, or when it is stopped."""
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 0
        # All that matters here is linear: the whole of it in the relaxation, and no time spent on symmetry, is ten times as fast.
        solver.parameters.linearization_level = 2
        solver.parameters.symmetry_level = 0
        # An interrupt ends the program, not only the search.
        solver.parameters.catch_sigint_signal = False
        if seconds is not None:
            solver.parameters.max_time_in_seconds = max(seconds, 0.001)
        status = _solved(solver, self.model, is_stopped)
        if status == cp_model.INFEASIBLE:
            return Answer(0, None, is_last=True)
        if status == cp_model.MODEL_INVALID:
            raise SolverFault(f"CP-SAT ended as {solver.status_name(status)}: {self.model.validate()}")
        if status != cp_model.OPTIMAL:
            return Answer(max(0, int(solver.response_proto.inner_objective_lower_bound)) * self._scale, None)
        way = self.space.ordered(arc for arc, literal in self.arcs if solver.boolean_value(literal))
        taken = [arc for arc, literal in self.arcs if solver.boolean_value(literal)]
        if way is None:
            self.cut([arc.slot for arc in taken])
            return self.solve(seconds=seconds, is_stopped=is_stopped)
        return Answer(solver.value(self.bound) * self._scale, way)


def _solved(solver: cp_model.CpSolver, model: cp_model.CpModel, is_stopped: Callable[[], bool]) -> cp_model.CpSolverStatus:
    """Solve in a thread: an interrupt reaches only the main one, and only while it runs no foreign code."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(solver.solve, model)
        while not wait([running], timeout=SECONDS_UNTIL_ASKED).done:
            if is_stopped():
                solver.stop_search()
        return running.result()
