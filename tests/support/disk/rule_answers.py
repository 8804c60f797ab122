"""What `check` answers to the accepted and rejected files of the rules: each is checked once, whatever is asked of the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import megasolve.contracts
from megasolve.cli.app import program
from megasolve.contracts import CheckReport, check_paths


@dataclass(frozen=True, slots=True)
class Answer:
    """What a check in the folder of its file found, printed and returned."""

    report: CheckReport
    stdout: str
    exit_code: int


@cache
def answer_to(file: Path) -> Answer:
    """Return what `megasolve check` answers to *file*."""
    reports: list[CheckReport] = []

    def kept(*asked: Any, **named: Any) -> CheckReport:
        reports.append(check_paths(*asked, **named))
        return reports[-1]

    result = _run(file, kept)
    (report,) = reports
    return Answer(report, result.stdout, result.exit_code)


def exit_code_on_warnings(file: Path) -> int:
    """Return how `megasolve check --fail-on warning` ends on what was found in *file*."""
    return _run(file, lambda *_asked, **_named: answer_to(file).report, "--fail-on", "warning").exit_code


def _run(file: Path, check: Callable[..., CheckReport], *options: str) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(file.parent)
        patch.setattr(megasolve.contracts, "check_paths", check)
        return CliRunner().invoke(program, ["check", *options, file.name])
