"""Rules for what a spec, or the command line, asks of every plan."""

from __future__ import annotations

from megasolve.contracts import Rule, RuleKind


def _rule(code: str, name: str, summary: str) -> Rule:
    return Rule(code, name, summary, RuleKind.EXCLUSION)


MEGAKERNELS = _rule("REQ-01", "too-many-megakernels", "A plan has at most as many megakernels as its constraints allow.")
NEW_MEGAKERNELS = _rule("REQ-02", "too-many-new-megakernels", "A plan has at most as many unmeasured megakernels as its constraints allow.")
CONVENTIONAL = _rule("REQ-03", "not-conventional", "Groups that are to stay conventional are in no megakernel.")
ENTRIES = _rule("REQ-04", "other-entry", "A group whose entry is given is run by that entry.")
TOGETHER = _rule("REQ-05", "not-together", "Groups that are to stay together are in one region.")
APART = _rule("REQ-06", "not-apart", "Groups that are to stay apart are in different regions.")
REQUIRES = _rule("REQ-07", "entry-missing", "An entry that requires another is used only beside it.")
EXCLUDES = _rule("REQ-08", "entries-exclude-each-other", "Entries that exclude each other never meet in one plan.")
WORKSPACE = _rule("REQ-09", "workspace-too-large", "The workspaces of all entries of a plan fit into what its constraints allow.")
OVER_LIMIT = _rule("REQ-10", "over-limit", "A time with a limit stays within it.")

GOAL_RULES = (MEGAKERNELS, NEW_MEGAKERNELS, CONVENTIONAL, ENTRIES, TOGETHER, APART, REQUIRES, EXCLUDES, WORKSPACE, OVER_LIMIT)
