"""Batches of one study side by side: each is a task of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from megasolve.contracts import Spec, Study
from megasolve.simulate import Ablation, Effects, Objective
from megasolve.simulate.plan.need import Question

from ...evidence.lookup import Evidence
from ...goals.constraint import Constraint
from ...pool.executor import in_order
from ...pool.shared import Shared
from ...search.predicates import Judge
from ...search.pruning import load_model
from ...select.goals.pareto import pareto_front
from ...select.result import BatchResult
from ...select.selection import rank


@dataclass(frozen=True, slots=True)
class Ranking:
    """What all batches of one study are planned by; its times are at hand in *evidence*."""

    study: Study
    spec: Spec
    evidence: Evidence
    effects: Effects
    constraints: tuple[Constraint, ...]
    ablation: Ablation
    asked: tuple[Objective, ...]
    pareto: tuple[Objective | str, ...]

    def judge(self, batch: int) -> Judge:
        """Return who judges the candidates of one batch."""
        question = Question(self.spec, batch, self.asked[0])
        return Judge(self.study, question, self.evidence, self.effects, self.constraints)


@dataclass(frozen=True, slots=True)
class RankingTask:
    """One *batch* of a study that is ranked."""

    ranking: Shared[Ranking]
    batch: int


def ranked(judge: Judge, ablation: Ablation, asked: Sequence[Objective], pareto: Sequence[Objective | str]) -> BatchResult:
    """Return every candidate of one question, ranked by the times that are *asked* for, with their front where it is wanted."""
    whole = rank(judge, ablation, asked)
    return replace(whole, pareto=pareto_front(whole.ranking)) if pareto else whole


def ranked_batch(task: RankingTask) -> BatchResult:
    """Rank the batch of a task, in whichever process."""
    by = task.ranking.value
    return ranked(by.judge(task.batch), by.ablation, by.asked, by.pareto)


def ranked_side_by_side(ranking: Ranking, batches: Sequence[int]) -> list[BatchResult]:
    """Return the ranking at each of *batches*, in their order, whoever makes it."""
    derivation, shared = ranking.evidence.derivation, Shared(ranking)
    # The time of the first batch says whether processes pay for the others.
    load_model()
    return in_order(derivation.pool, ranked_batch, [RankingTask(shared, batch) for batch in batches], derivation.planned)
