"""The hunt: CP-SAT names the cover of least bound, exact simulation scores it, and it is cut off, until no bound can beat the K-th best.

Spaces are taken in turn, always the one of least bound, so that most policies are asked once or never. What a solve finds is improved to
the best entries of its cover; where simulation takes longer than the bound, the path that it took becomes a word of the model.

Designs are ordered by one time or by several, the first before all others, and bounds likewise: as each bound of a design is at most its
time, the bounds of what is left come no later in that order than its times do. Times with a limit are bounded from above, and judged
exactly.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from megasolve.simulate import Ablation, Objective
from megasolve.simulate.plan.policy import policies

from ..search.predicates import Judge
from ..select.goals.times import Goals, goals_of
from ..select.searched import Ties
from .claims import claimed, has_rival_kinds
from .frontier import Frontier
from .fronts import Front
from .hits import Found, Hit, Order, State, Watch, in_variant_order, told_apart
from .requirements import require
from .space.arcs import Arc, Ps
from .space.spaces import space_of
from .trials import Trials
from .ways.tallying import tally
from .ways.walking import Key

MOST_TIES = 200


@dataclass
class Hunt:
    """A search for the *top* best designs of a question, equals by each further one of *objectives*; for their front where *is_front*."""

    judge: Judge
    top: int = 10
    ablation: Ablation = Ablation.FULL
    seconds: float | None = None
    is_stopped: Callable[[], bool] = lambda: False
    watch: Watch | None = None
    objectives: Sequence[Objective] = ()
    is_front: bool = False
    begun: float = field(default_factory=time.monotonic)
    hits: dict[Hashable, Hit] = field(default_factory=dict)
    has_rivals: bool = False
    fronts: list[Front] = field(default_factory=list)
    frontier: Frontier = field(default_factory=Frontier)
    goals: Goals = field(init=False)
    trials: Trials = field(init=False)

    def __post_init__(self) -> None:
        self.goals = goals_of(self.judge, self.objectives, self.ablation)
        self.trials = Trials(self.goals, self.is_front)
        self.policies = policies(self.judge.question.spec)

    def run(self) -> Found:
        """Search until the designs are proven, the time is over, or somebody stops it."""
        for index in range(len(self.policies)):
            if not self._is_over():
                self.fronts.append(self._front(index))
                # Whoever stops the search early has a design then.
                self._ask(self.fronts[-1], None)
        is_proven = self._is_proven(self._kth)
        ties = self._settled() if is_proven else self._ties(at_least=self._state().gap != 0)
        hits = tuple(self._ranked()[: self.top])
        is_whole = is_proven and (not self.is_front or self._has_front())
        if self.watch is not None:
            self.watch(replace(self._state(), is_last=True))
        over = tuple(one for place, one in self.trials.over.items() if place not in {hit.key for hit in self.hits.values()})
        return Found(hits, self._state(), is_whole, ties, self.frontier.points() if self.is_front else (), over)

    def _front(self, index: int) -> Front:
        roles = {group.name: group.role for group in self.judge.question.spec.groups}
        space = space_of(self.goals.together, self.policies[index], self.ablation, tuple(self.goals.judges.values()))
        front = Front(space, index, roles, len(self.goals.objectives))
        self.has_rivals |= space.is_chain and has_rival_kinds(space)
        require(front.model, self.judge.constraints)
        for place, most in enumerate(self.goals.most):
            if most is not None:
                front.model.limit(place, most)
        return front

    @property
    def _is_chain(self) -> bool:
        return all(front.space.is_chain for front in self.fronts)

    def _is_over(self) -> bool:
        return self.is_stopped() or (self.seconds is not None and self._elapsed() >= self.seconds)

    def _elapsed(self) -> float:
        return time.monotonic() - self.begun

    def _ranked(self) -> list[Hit]:
        if not self._is_chain:
            return list(told_apart(self.hits.values()))
        hits = claimed(self.hits.values(), [front.walker for front in self.fronts]) if self.has_rivals else self.hits.values()
        best: dict[tuple[Key, int], Hit] = {}
        for hit in sorted(hits, key=lambda one: (one.order, one.key)):
            best.setdefault(hit.key, hit)
        return list(best.values())

    def _kth(self) -> Order | None:
        ranked = self._ranked()
        return ranked[self.top - 1].order if len(ranked) >= self.top else None

    def _open(self) -> list[Front]:
        return [front for front in self.fronts if not front.is_done]

    def _next(self, before: Order | None) -> Front | None:
        """Return the space of least bound, unless that is not *before* what is known."""
        front = min(self._open(), key=lambda one: one.bound, default=None)
        return None if front is None or (before is not None and front.bound >= before) else front

    def _is_proven(self, before: Callable[[], Order | None]) -> bool:
        """Ask until nothing that is left can be *before* what is known; whether that was reached in time."""
        while (front := self._next(before())) is not None and not self._is_over():
            self._ask(front, before())
        return front is None and len(self.fronts) == len(self.policies)

    def _state(self) -> State:
        ranked, left = self._ranked(), self._open()
        # Of a policy that was not begun nothing is known.
        is_whole = len(self.fronts) == len(self.policies)
        bound = min((front.bound[0] for front in left), default=None) if is_whole else 0
        kth = ranked[self.top - 1].score_ps if len(ranked) >= self.top else None
        return State(bound, ranked[0].score_ps if ranked else None, kth, self.trials.simulated, self._elapsed())

    def _ask(self, front: Front, before: Order | None, *, also_at: bool = False) -> None:
        """Solve one model once, and try the answer if its bounds are *before* what is known, or as good, where that counts."""
        left = None if self.seconds is None else self.seconds - self._elapsed()
        way = front.ask(left, self.is_stopped)
        if way is not None and (before is None or front.bound < before or (also_at and front.bound == before)):
            for hit in self.trials.tried(front, way):
                self._add(hit)
        if self.watch is not None:
            self.watch(self._state())

    def _add(self, hit: Hit) -> None:
        """Keep a design under its first candidate; another cover of the same design adds its candidates.

        In a graph that is no chain variants are found one by one, and a candidate is the design of its best one.
        """
        if self.is_front:
            self.frontier.plans.append(hit)
        if not self._is_chain:
            self.hits[hit.key] = min(self.hits.get(hit.key, hit), hit, key=in_variant_order)
            return
        known = self.hits.get(hit.design)
        if known is None:
            self.hits[hit.design] = hit
            return
        first, other = sorted((known, hit), key=lambda one: one.key)
        if first.key != other.key:
            self.hits[hit.design] = replace(first, candidates=known.candidates + hit.candidates, ways=known.ways + hit.ways)

    def _has_front(self) -> bool:
        """Find one plan of the front after the other, each of which leaves out what it beats; whether that was done in time."""
        while self._is_proven(lambda: None if (best := self.frontier.best()) is None else best.order):
            if (best := self.frontier.best()) is None:
                return True
            self.frontier.proven.append(best.order)
            for front in self._open():
                front.model.beat(best.order)
        return False

    def _settled(self) -> Ties:
        """Name those at the last place by the order of enumeration, and count the ties of the best."""
        kth, ranked = self._kth(), self._ranked()
        tied = [front for front in self._open() if kth is not None and front.bound <= kth]
        if kth is None or not tied:
            return self._ties()
        if not self._is_chain or not self.trials.is_plain:
            is_whole = self._asked_ties(kth)
            return self._ties(at_least=ranked[0].order == kth and not is_whole)
        is_whole = self._name_ties(tied, kth[0])
        if ranked[0].order < kth or is_whole:
            return self._ties()
        counted = [tally(front.walker, kth[0] * front.space.clocks[0].divisor) for front in tied]
        known = self._ties(at_least=any(one is None for one in counted))
        more = [one for one in counted if one is not None]
        designs, candidates = (sum(one[place] for one in more) for place in (0, 1))
        return Ties(max(known.designs, designs), max(known.candidates, candidates), known.at_least)

    def _asked_ties(self, kth: Order) -> bool:
        """Ask for designs with these times, a few; return whether there are no more."""
        for _ in range(MOST_TIES):
            front = min(self._open(), key=lambda one: one.bound, default=None)
            if front is None or front.bound > kth:
                return True
            if self._is_over():
                return False
            self._ask(front, kth, also_at=True)
        return False

    def _name_ties(self, fronts: Sequence[Front], score_ps: Ps) -> bool:
        """Simulate designs of this score in the order of enumeration, a few; return whether there are no more."""
        for front in fronts:
            front.rewalk()
        walks = [((key, front.index), front, way) for front in fronts for key, way in _walk(front, score_ps)]
        for _, front, way in sorted(walks, key=lambda walk: walk[0])[:MOST_TIES]:
            if (hit := self.trials.simulated_hit(front, way)) is not None:
                self._add(hit)
        return len(walks) < MOST_TIES and not self._is_over()

    def _ties(self, *, at_least: bool = False) -> Ties:
        ranked = self._ranked()
        best = [hit for hit in ranked if hit.order == ranked[0].order]
        return Ties(len(best), sum(hit.candidates for hit in best), at_least)


def _walk(front: Front, score_ps: Ps) -> Iterator[tuple[Key, tuple[Arc, ...]]]:
    limit = score_ps * front.space.clocks[0].divisor
    covers = ((key, way) for key, value, way in front.walker.covers(limit) if value == limit)
    yield from islice(covers, MOST_TIES)
