"""Why one of many studies has no result, as one line of JSON, `failure/v1`: it stands where the result would."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..solve.json import line_text
from .json import finding_facts

if TYPE_CHECKING:
    from megasolve.solver import StudyAnswer


def failure_line(answer: StudyAnswer, version: str) -> str:
    """Return the line of an answer that is a failure."""
    failure = answer.failure
    return line_text(
        {
            "megasolve": "failure/v1",
            "version": version,
            "file": answer.file,
            "batch": answer.batch,
            "because": failure.because if failure else "",
            "fault": bool(failure and failure.is_fault),
            "findings": [finding_facts(one) for one in failure.findings] if failure else [],
        }
    )
