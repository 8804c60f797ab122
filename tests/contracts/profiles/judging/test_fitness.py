"""A file whose launches mostly did not run is shown, and nothing is planned from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from megasolve.contracts.observe import AttributedBy, GroupRule, observe
from megasolve.contracts.profiles import Called, Execution, GraphNode, ProfileRefused
from megasolve.contracts.profiles.judging.fitness import judged
from megasolve.contracts.profiles.reading import read_profile
from megasolve.contracts.scaffold import Wishes, scaffold
from tests.support.profiles.executions import execution, kernel
from tests.support.profiles.kineto_traces import call, trace_text, written
from tests.support.profiles.kineto_traces import kernel as event_of
from tests.support.profiles.nsys import Export


def ran(kernels: int, called: Called, **of_kernel: Any) -> Execution:
    """Return what *kernels* launches of 10 microseconds are, beside what was called for."""
    launches = [kernel("k", 20 * place, 10)._replace(**of_kernel) for place in range(kernels)]
    return judged(execution(launches, called=called), recover=False)


@pytest.mark.parametrize(
    ("of", "reason"),
    [
        (
            ran(2, Called(546, captured=544)),
            "544 of 546 launch calls were captured into a graph, which ran nowhere in the file, and 2 kernels ran",
        ),
        (ran(100, Called(1000, lost=900)), "900 of 1,000 launch calls have no kernel in the file"),
        (ran(600, Called(1100, captured=500)), ""),
        (ran(500, Called(17_502, captured=17_500), graph=GraphNode(1, 2)), ""),
        (ran(100, Called(120, lost=20)), ""),
        (ran(3, Called(0)), ""),
    ],
)
def test_launches_without_kernels_make_a_file_unfit_where_they_are_most(of: Execution, reason: str) -> None:
    assert bool(of.unfit) == bool(reason)
    assert not reason or of.unfit[0].startswith(reason)


def test_a_kineto_trace_of_a_capture_is_shown_and_not_planned_from(tmp_path: Path) -> None:
    captured = [call("cudaLaunchKernel", 20 + number, 100 + number) for number in range(50)]
    marks = [call("cudaStreamBeginCapture", 10, 1), call("cudaStreamEndCapture", 90, 2)]
    warm = [
        one
        for number in range(2)
        for one in (call("cudaLaunchKernel", number, 10 + number), event_of("fill", 5 + 2 * number, 1, correlation=10 + number))
    ]
    found = read_profile(written(tmp_path, trace_text(*warm, *marks, *captured)))
    assert found.called == Called(52, captured=50)

    attribution = AttributedBy((GroupRule("step"),))
    observation = observe((found,), attribution)
    with pytest.raises(ProfileRefused, match="it is the trace of a capture; give the trace of the run"):
        scaffold(observation, (found,), attribution, Wishes("s", str(tmp_path), "s", device="h100_sxm"))


def test_an_nsys_export_whose_launches_were_lost_is_unfit(tmp_path: Path) -> None:
    export = Export()
    for number in range(10):
        export.call("cudaLaunchKernel_v7000", 100 * number, 100 * number + 10, number + 1)
        export.call("cudaLaunchHostFunc_v10000", 100 * number + 20, 100 * number + 30, 50 + number)
    export.kernel("k", 1000, 2000, 1)
    found = judged(export.read(tmp_path), recover=False)
    assert found.called == Called(10, lost=9)
    assert "9 of 10 launch calls have no kernel" in found.unfit[0]


def test_an_nsys_export_of_a_capture_alone_is_unfit(tmp_path: Path) -> None:
    export = Export()
    export.call("cudaLaunchKernel_v7000", 10, 20, 1)
    export.kernel("fill", 30, 40, 1)
    export.call("cudaStreamBeginCapture_v10000", 100, 110, 2)
    for number in range(10):
        export.call("cuLaunchKernelEx", 200 + 10 * number, 205 + 10 * number, 3 + number)
    export.call("cudaStreamEndCapture_v10000", 900, 910, 90)
    found = judged(export.read(tmp_path), recover=False)
    assert found.called == Called(11, captured=10)
    assert "trace of a capture" in found.unfit[0]
