"""Findings about plans: what is wrong with the best design as it runs, under rules of their own, so that CI can fail on it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass

from megasolve.contracts import Rule, RuleKind
from megasolve.contracts.model.rules import rules_in

FALLS_BEHIND = Rule("PLN-01", "falls-behind", "A later chunk takes no longer than it plays.", RuleKind.PLAN)
SOUND_STOPS = Rule("PLN-02", "sound-stops", "The sound of a plan that keeps up never waits for a chunk.", RuleKind.PLAN)
HOST_SATURATES = Rule("PLN-03", "host-saturates", "A thread of the host issues a chunk in no more time than it plays.", RuleKind.PLAN)
REQUESTS_PILE_UP = Rule("PLN-04", "requests-pile-up", "Requests arrive more slowly than they are served.", RuleKind.PLAN)

PLAN_RULES = rules_in((sys.modules[__name__],))


@dataclass(frozen=True, slots=True)
class PlanFinding:
    """One thing that is wrong with a plan: the *rule* that it breaks, *because* of which fact; *subject* is the id of the candidate."""

    rule: Rule
    because: str
    subject: str

    def __str__(self) -> str:
        return f"{self.rule.code} {self.because}"


Remark = str | PlanFinding
"""What is said about a plan: a note, or a finding."""


def findings_in(remarks: Iterable[Remark]) -> tuple[PlanFinding, ...]:
    """Return the findings among *remarks*, in their order."""
    return tuple(one for one in remarks if isinstance(one, PlanFinding))
