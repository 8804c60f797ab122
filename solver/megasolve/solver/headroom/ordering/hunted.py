"""The best designs by what has to be built, in spaces that are too large to rank and that matrices do not cover: each is searched."""

from __future__ import annotations

from dataclasses import dataclass, replace

from megasolve.contracts import Contract
from megasolve.simulate import Ablation
from megasolve.simulate.plan.cause import TOO_MANY_NEW

from ...goals.constraint import Total, token_of
from ...optimize.solving import Effort, searched
from ...search.predicates import Judge
from ...search.size import planned_size
from .built import Built, New, new_of


@dataclass(frozen=True)
class HuntedBuilds:
    """Designs that a search finds and proves, one search for each question."""

    judge: Judge
    entries: New

    def best(self, at_most: int, allowed: New) -> Built | None:
        """Return the best design with at most so many new entries."""
        study = self.judge.study
        kept = replace(study, contracts=tuple(one for one in study.contracts if _is_open(one.value, self.entries, allowed)))
        limit = Total("new entries", TOO_MANY_NEW, at_most, "new entries", counted=self.entries)
        judge = Judge(kept, self.judge.question, self.judge.evidence, self.judge.effects, (*self.judge.constraints, limit))
        result = searched(judge, Ablation.FULL, planned_size(kept, judge.question.spec), Effort(top=1))
        if not result.ranking:
            return None
        row = result.ranking[0]
        return Built(row.id, row.score_ps, new_of(row.tied[0], self.entries), row.accuracy)


def _is_open(contract: Contract, entries: New, allowed: New) -> bool:
    """Whether *contract* exists, or may be built."""
    return contract.entry not in entries or token_of(contract) in allowed
