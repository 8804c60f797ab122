"""The hunt: CP-SAT names the cover of least bound, exact simulation scores it, and it is cut off, until no bound can beat the K-th best.

Spaces are taken in turn, always the one of least bound, so that most policies are asked once or never. What a solve finds is improved to
the best entries of its cover; where simulation takes longer than the bound, the path that it took becomes a word of the model.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice

from megasolve.simulate import Ablation, Deadlock, design_key, score
from megasolve.simulate.plan.policy import policies

from ..goals.constraint import JOINT
from ..search.kept import SolverFault
from ..search.predicates import Judge
from ..select.compose import compose
from ..select.searched import Ties
from .bounding import Bounding
from .claims import claimed, has_rival_kinds
from .hits import Found, Hit, State, Watch, in_variant_order, told_apart
from .requirements import require
from .space.arcs import Arc, Ps, Space
from .space.spaces import space_of
from .ways.fixed import entries_of
from .ways.naming import candidates_of, enumeration_key, named
from .ways.tallying import tally
from .ways.walking import Key, Walker
from .ways.words import critical_words, first_words

MOST_TIES = 200


@dataclass
class _Front:
    """One space with its model, the bound of what is left of it, and whether anything is."""

    space: Space
    index: int
    walker: Walker
    model: Bounding
    bound_ps: Ps = 0
    is_done: bool = False


@dataclass
class Hunt:
    """A search for the *top* best designs of a question."""

    judge: Judge
    top: int = 10
    ablation: Ablation = Ablation.FULL
    seconds: float | None = None
    is_stopped: Callable[[], bool] = lambda: False
    watch: Watch | None = None
    begun: float = field(default_factory=time.monotonic)
    simulated: int = 0
    hits: dict[Hashable, Hit] = field(default_factory=dict)
    has_rivals: bool = False
    fronts: list[_Front] = field(default_factory=list)

    def run(self) -> Found:
        """Search until the designs are proven, the time is over, or somebody stops it."""
        for index, policy in enumerate(policies(self.judge.question.spec)):
            if not self._is_over():
                self.fronts.append(self._front(index, space_of(self.judge, policy, self.ablation)))
                # Whoever stops the search early has a design then.
                self._ask(self.fronts[-1])
        while (front := self._next()) is not None and not self._is_over():
            self._ask(front)
        is_proven = len(self.fronts) == len(policies(self.judge.question.spec)) and self._next() is None
        # In other graphs a region may be launched around another group, and then its matrices are no proof (docs/method.md).
        is_proven = is_proven and self._is_chain
        ties = self._settled() if is_proven else self._ties(at_least=self._state().gap != 0)
        if self.watch is not None:
            self.watch(replace(self._state(), is_last=True))
        return Found(tuple(self._ranked()[: self.top]), self._state(), is_proven, ties)

    @property
    def roles(self) -> Mapping[str, str]:
        """The role of each group."""
        return {group.name: group.role for group in self.judge.question.spec.groups}

    def _front(self, index: int, space: Space) -> _Front:
        words = tuple(first_words(space)) if space.arcs else ()
        self.has_rivals |= space.is_chain and has_rival_kinds(space)
        model = Bounding(space, words)
        require(model, self.judge.constraints)
        return _Front(space, index, Walker(space, words, self.roles), model)

    @property
    def _is_chain(self) -> bool:
        return all(front.space.is_chain for front in self.fronts)

    @property
    def is_joint(self) -> bool:
        """Whether constraints bear on several choices together, so that entries cannot be chosen region by region."""
        return any(isinstance(one, JOINT) for one in self.judge.constraints)

    def _is_over(self) -> bool:
        return self.is_stopped() or (self.seconds is not None and self._elapsed() >= self.seconds)

    def _elapsed(self) -> float:
        return time.monotonic() - self.begun

    def _ranked(self) -> list[Hit]:
        if not self._is_chain:
            return list(told_apart(self.hits.values()))
        hits = claimed(self.hits.values(), [front.walker for front in self.fronts]) if self.has_rivals else self.hits.values()
        best: dict[tuple[Key, int], Hit] = {}
        for hit in sorted(hits, key=lambda one: (one.score_ps, one.key)):
            best.setdefault(hit.key, hit)
        return list(best.values())

    def _kth_ps(self) -> Ps | None:
        return self._last_of(self._ranked())

    def _last_of(self, ranked: Sequence[Hit]) -> Ps | None:
        return ranked[self.top - 1].score_ps if len(ranked) >= self.top else None

    def _open(self) -> list[_Front]:
        return [front for front in self.fronts if not front.is_done]

    def _next(self) -> _Front | None:
        """Return the space of least bound, unless that cannot beat the K-th best."""
        front = min(self._open(), key=lambda one: one.bound_ps, default=None)
        kth = self._kth_ps()
        return None if front is None or (kth is not None and front.bound_ps >= kth) else front

    def _state(self) -> State:
        ranked, left = self._ranked(), self._open()
        # Of a policy that was not begun nothing is known.
        is_whole = len(self.fronts) == len(policies(self.judge.question.spec))
        bound = min((front.bound_ps for front in left), default=None) if is_whole else 0
        return State(bound, ranked[0].score_ps if ranked else None, self._last_of(ranked), self.simulated, self._elapsed())

    def _ask(self, front: _Front) -> None:
        """Solve one model once, and simulate the answer."""
        left = None if self.seconds is None else self.seconds - self._elapsed()
        answer = front.model.solve(seconds=left, is_stopped=self.is_stopped)
        front.is_done = answer.is_last
        front.bound_ps = max(front.bound_ps, Fraction(answer.bound, front.space.divisor))
        kth = self._kth_ps()
        if answer.way is not None and (kth is None or front.bound_ps < kth):
            self._simulate(front, answer.way)
        if self.watch is not None:
            self.watch(self._state())

    def _simulate(self, front: _Front, way: tuple[Arc, ...]) -> None:
        """Score the cover of *way* with its best entries, cut it off, and learn from it."""
        space, is_longer = front.space, front.space.value(way) > front.bound_ps * front.space.divisor
        value, best = self._best(front, way) if space.is_chain and not self.is_joint else (space.value(way), way)
        self._keep(front, best, Fraction(value, 1) / space.divisor)
        if not space.is_chain or (self.is_joint and is_longer):
            # Another choice of entries may be better: only the model knows whether it is allowed, only simulation in which order it runs.
            front.model.cut_choices(way)
        else:
            front.model.cut([arc.slot for arc in way])
        # The letters of a word belong to the cuts of a chain: in another order of regions they would be no path.
        if space.is_chain and is_longer and all(arc.ends is None for arc in way):
            for word in critical_words(space, way):
                if word not in front.model.words:
                    front.model.add(word)

    def _best(self, front: _Front, way: tuple[Arc, ...]) -> tuple[Ps, tuple[Arc, ...]]:
        if not front.space.is_chain:
            return entries_of(front.space, way)
        limit = front.space.value(way)
        fixed = Walker(front.space, front.model.words, self.roles, [arc.slot for arc in way])
        return min(((value, found) for _, value, found in fixed.covers(limit)), key=lambda pair: pair[0])

    def _keep(self, front: _Front, way: tuple[Arc, ...], expected_ps: Ps) -> None:
        candidate, variant = named(front.walker, way)
        composed = compose(self.judge, candidate, variant)
        found = score(composed.composition, self.judge.question.objective, ablation=self.ablation)
        self.simulated += 1
        if isinstance(found, Deadlock):
            return
        if front.space.is_chain and found.value_ps != expected_ps:
            raise SolverFault(f"{candidate}: the search expects {expected_ps} ps, simulation takes {found.value_ps} ps")
        design = design_key(composed.composition, self.judge.question.objective)
        number, place = candidates_of(front.walker, way), (self._place(front, way), front.index)
        self._add(Hit(found.value_ps, place, candidate, variant, composed, design, number, ((front.index, way),)))

    def _place(self, front: _Front, way: tuple[Arc, ...]) -> Key:
        if not front.space.is_chain:
            return enumeration_key(front.space.groups, [choice.region for arc in way for choice in arc.choices])
        key: Key = ()
        for index, arc in enumerate(way):
            key += front.walker.decisions(way[index - 1] if index else None, arc)
        return key

    def _add(self, hit: Hit) -> None:
        """Keep a design under its first candidate; another cover of the same design adds its candidates.

        In a graph that is no chain variants are found one by one, and a candidate is the design of its best one.
        """
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

    def _settled(self) -> Ties:
        """Name those at the last place by the order of enumeration, and count the ties of the best."""
        kth, ranked = self._kth_ps(), self._ranked()
        tied = [front for front in self._open() if kth is not None and front.bound_ps <= kth]
        if kth is None or not tied:
            return self._ties()
        if self.is_joint:
            return self._ties(at_least=ranked[0].score_ps == kth)
        chains = [front for front in tied if front.space.is_chain]
        is_whole = len(chains) == len(tied) and self._name_ties(chains, kth)
        if ranked[0].score_ps < kth or is_whole:
            return self._ties()
        counted = [tally(front.walker, kth * front.space.divisor) for front in chains]
        known = self._ties(at_least=len(chains) < len(tied) or any(one is None for one in counted))
        more = [one for one in counted if one is not None]
        designs, candidates = (sum(one[place] for one in more) for place in (0, 1))
        return Ties(max(known.designs, designs), max(known.candidates, candidates), known.at_least)

    def _name_ties(self, fronts: Sequence[_Front], score_ps: Ps) -> bool:
        """Simulate designs of this score in the order of enumeration, a few; return whether there are no more."""
        for front in fronts:
            front.walker = Walker(front.space, front.model.words, self.roles)
        walks = [((key, front.index), front, way) for front in fronts for key, way in self._walk(front, score_ps)]
        for _, front, way in sorted(walks, key=lambda walk: walk[0])[:MOST_TIES]:
            self._keep(front, way, score_ps)
        return len(walks) < MOST_TIES and not self._is_over()

    def _walk(self, front: _Front, score_ps: Ps) -> Iterator[tuple[Key, tuple[Arc, ...]]]:
        limit = score_ps * front.space.divisor
        covers = ((key, way) for key, value, way in front.walker.covers(limit) if value == limit)
        yield from islice(covers, MOST_TIES)

    def _ties(self, *, at_least: bool = False) -> Ties:
        ranked = self._ranked()
        best = [hit for hit in ranked if hit.score_ps == ranked[0].score_ps]
        return Ties(len(best), sum(hit.candidates for hit in best), at_least)
