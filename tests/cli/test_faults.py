"""An internal error: one line that asks to report it, exit code 3, the traceback only on demand."""

from __future__ import annotations

import pytest

from megasolve import solver
from tests.support.command import CHECKOUT, megasolve

SPEC = "specs/worked_example.yaml"


@pytest.fixture(autouse=True)
def broken_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise solver.SolverFault("model and rules\ndisagree")

    monkeypatch.chdir(CHECKOUT)
    monkeypatch.setattr(solver, "solve", fail)


def test_a_fault_is_one_line_that_asks_to_report_it() -> None:
    result = megasolve(SPEC)
    assert (result.exit_code, result.stdout) == (3, "")
    expected = "Error: internal error, please report it (SolverFault: model and rules disagree); --debug shows the traceback\n"
    assert result.stderr == expected


@pytest.mark.parametrize("words", [("--debug", SPEC), (SPEC, "--debug")])
def test_the_traceback_comes_on_demand(words: tuple[str, ...]) -> None:
    result = megasolve(*words)
    assert result.exit_code == 3
    assert result.stderr.startswith("Traceback (most recent call last):")
