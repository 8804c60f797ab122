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
KERNELS_UNKNOWN = Rule("POL-06", "kernels-unknown", "A kernel beside another stream says how many it is, or how wide.", RuleKind.EXCLUSION)
NOT_REPEATING = Rule("POL-05", "repeats-launched-again", "A launch that stays over a block loops over its repeats.", RuleKind.EXCLUSION)
SPLIT_TOO_LARGE = Rule("CTA-03", "split-exceeds-device", "Both sides of a split are resident together.", RuleKind.EXCLUSION)
NOT_THE_REST = Rule("CTA-04", "not-the-rest", "A pair with a rest is open to entries that leave this rest.", RuleKind.EXCLUSION)
NO_RECORD = Rule("EVI-01", "no-record", "Every group needs a service record with exactly its key.", RuleKind.EXCLUSION)
UNKNOWN_BYTES = Rule("EVI-02", "unknown-bytes", "Beside other work a record needs its HBM bytes.", RuleKind.EXCLUSION)
NO_TIME = Rule("EVI-03", "no-time-left", "The gaps before the kernels of a call leave it some time.", RuleKind.EXCLUSION)
TOO_MANY_MEGAKERNELS = Rule("REQ-01", "too-many-megakernels", "A plan has no more megakernels than allowed.", RuleKind.EXCLUSION)
TOO_MANY_NEW = Rule("REQ-02", "too-many-new-megakernels", "A plan has no more unmeasured megakernels than allowed.", RuleKind.EXCLUSION)
NOT_CONVENTIONAL = Rule("REQ-03", "not-conventional", "Groups that are to stay conventional are in no megakernel.", RuleKind.EXCLUSION)
OTHER_ENTRY = Rule("REQ-04", "other-entry", "A group whose entry is given is run by that entry.", RuleKind.EXCLUSION)
NOT_TOGETHER = Rule("REQ-05", "not-together", "Groups that are to stay together are in one region.", RuleKind.EXCLUSION)
NOT_APART = Rule("REQ-06", "not-apart", "Groups that are to stay apart are in different regions.", RuleKind.EXCLUSION)
ENTRY_MISSING = Rule("REQ-07", "entry-missing", "An entry that requires another is used only beside it.", RuleKind.EXCLUSION)
ENTRIES_MEET = Rule("REQ-08", "entries-exclude-each-other", "Entries that exclude each other never meet in one plan.", RuleKind.EXCLUSION)
WORKSPACE_TOO_LARGE = Rule("REQ-09", "workspace-too-large", "The workspaces of a plan fit into what is allowed.", RuleKind.EXCLUSION)
OVER_LIMIT = Rule("REQ-10", "over-limit", "A time with a limit stays within it.", RuleKind.EXCLUSION)
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
