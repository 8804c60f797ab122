"""Causes: why a candidate is excluded. Each is one rule and one fact; a candidate reports all of its own."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from megasolve.contracts import Rule, RuleKind
from megasolve.contracts.model.rules import rules_in

NO_ENTRY = Rule("MEM-01", "no-entry", "A megakernel region needs one compiled entry with exactly its groups.", RuleKind.EXCLUSION)
NO_KERNELS = Rule("MEM-02", "no-kernels", "A conventional region needs kernels for each of its groups.", RuleKind.EXCLUSION)
NO_REGION = Rule("MEM-03", "no-region", "A region is connected and convex in the graph of the groups.", RuleKind.EXCLUSION)
NO_COVER = Rule("MEM-04", "no-cover", "No regions of a cover wait for each other.", RuleKind.EXCLUSION)
POLICY_UNSUPPORTED = Rule("POL-01", "policy-not-supported", "An entry runs only under the policies it declares.", RuleKind.EXCLUSION)
BUDGET_UNSUPPORTED = Rule("POL-02", "budget-not-supported", "A launch uses only budgets that its entry declares.", RuleKind.EXCLUSION)
NOT_RESIDENT = Rule("POL-03", "producer-does-not-loop", "A fixed split keeps one producer launch over all steps.", RuleKind.EXCLUSION)
MIXED_DISPATCH = Rule("POL-04", "mixed-dispatch", "The kernels of one conventional region are launched in one way.", RuleKind.EXCLUSION)
SPLIT_TOO_LARGE = Rule("CTA-03", "split-exceeds-device", "Both sides of a split are resident together.", RuleKind.EXCLUSION)
NO_RECORD = Rule("EVI-01", "no-record", "Every group needs a service record with exactly its key.", RuleKind.EXCLUSION)
UNKNOWN_BYTES = Rule("EVI-02", "unknown-bytes", "Beside other work a record needs its HBM bytes.", RuleKind.EXCLUSION)
NO_TIME = Rule("EVI-03", "no-time-left", "The gaps before the kernels of a call leave it some time.", RuleKind.EXCLUSION)
DEADLOCK = Rule("SIM-01", "deadlock", "The simulated schedule ends.", RuleKind.EXCLUSION)

EXCLUSION_RULES = rules_in((sys.modules[__name__],))


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason for an exclusion. *subject* names the region, entry or split that it concerns."""

    rule: Rule
    because: str
    subject: str = ""

    def __str__(self) -> str:
        return f"{self.rule.code} {self.because}"
