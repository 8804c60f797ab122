"""Findings about plans: as lines beside notes, and as facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..text.paint import PLAIN, Paint
from ..text.tables import one_line

if TYPE_CHECKING:
    from megasolve.contracts import JsonObject
    from megasolve.solver import PlanFinding


def note_lines(notes: Sequence[str], findings: Sequence[PlanFinding], paint: Paint = PLAIN) -> list[str]:
    """Return *notes* as lines; those that are *findings* say so."""
    wrong = {str(one) for one in findings}
    return [paint.red(f"FINDING: {one_line(note)}") if note in wrong else paint.yellow(f"NOTE: {one_line(note)}") for note in notes]


def finding_facts(findings: Sequence[PlanFinding]) -> JsonObject:
    """Return what JSON says of *findings*; nothing where there are none."""
    facts = [{"rule": one.rule.code, "name": one.rule.name, "because": one.because, "subject": one.subject} for one in findings]
    return {"findings": list(facts)} if facts else {}
