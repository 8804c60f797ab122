"""The pages of the rules: the lines under their titles, their sections, and where each stands in the index."""

from __future__ import annotations

from megasolve.contracts import Rule, RuleKind

SECTIONS = ["What it rejects", "Why", "Accepted", "Rejected", "Repair"]
STANDINGS = {
    RuleKind.FILE: "An error: `check` exits 1, and `solve` stops.",
    RuleKind.LIMIT: "A limit: `check` exits 1, and `solve` goes on and excludes the candidates concerned.",
    RuleKind.PROFILE: "An error: `check` exits 1; `solve` reads no profile and goes on.",
    RuleKind.PLAN: "A finding about a plan: `solve` names it and exits 1 for it with `--fail-on finding`; `check` does not know it.",
    RuleKind.EXCLUSION: "A reason for exclusion: `explain` and the results of `solve` name it; `check` does not.",
}
WARNS = "A warning: `check` fails on it only with `--fail-on warning`, and `solve` goes on."


def head_of(rule: Rule, *, only_warns: bool) -> list[str]:
    """Return the first lines of the page of *rule*: its title, what must be true, and whether `solve` goes on."""
    return [f"# {rule.code} {rule.name}", "", rule.summary, WARNS if only_warns else STANDINGS[rule.kind], ""]


def row_of(rule: Rule) -> str:
    """Return the line of *rule* in the index."""
    return f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.summary} |"
