"""The capture of a graph beside a run: what was captured says what a replay runs, launch by launch."""

from __future__ import annotations

from megasolve.contracts.profiles import Captured, Execution, GraphNode, OperatorCall
from megasolve.contracts.profiles.captures import with_captures
from tests.support.profiles.executions import execution, kernel

NAMES = ("norm", "gemm", "attention")
CALLS = tuple(OperatorCall(number, f"aten::{name}", ()) for number, name in enumerate(NAMES))
CAPTURE = execution([], captured=tuple(Captured(0, name, call) for name, call in zip(NAMES, CALLS, strict=True)), file="capture.json")


def replayed(*names: str, times: int = 2) -> Execution:
    """Return a run that replays a graph of *names*."""
    launches = [
        kernel(name, 100 * number + 10 * place, 5, graph=GraphNode(1), correlation=7 + number)
        for number in range(times)
        for place, name in enumerate(names)
    ]
    return execution([kernel("eager", 0, 5), *launches], file="run.json")


def test_every_replay_gets_the_operators_of_its_capture_and_the_capture_is_no_execution() -> None:
    (run,) = with_captures((replayed(*NAMES), CAPTURE))
    assert [one.operator for one in run.kernels] == [None, *CALLS, *CALLS]
    assert run.notes[-1] == "what its 2 replays run is taken from the capture beside it (3 launches)"


def test_a_capture_that_does_not_match_is_said_and_the_rest_goes_on() -> None:
    (run,) = with_captures((replayed("norm", "gemm"), CAPTURE))
    assert not any(one.operator for one in run.kernels)
    assert run.notes[-1].startswith("2 of 2 replays match no capture (3 launches)")
    (other,) = with_captures((replayed("norm", "gemm", "other"), CAPTURE))
    assert not any(one.operator for one in other.kernels)


def test_names_that_a_capture_does_not_have_are_no_contradiction() -> None:
    nameless = execution([], captured=tuple(Captured(0, None, call) for call in CALLS), file="capture.json")
    (run,) = with_captures((replayed(*NAMES), nameless))
    assert run.kernels[1].operator == CALLS[0]


def test_a_capture_alone_stays_what_it_is() -> None:
    assert with_captures((CAPTURE,)) == (CAPTURE,)
