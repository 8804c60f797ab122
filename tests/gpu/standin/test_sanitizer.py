from __future__ import annotations

from typing import Any

import pytest

from megasolve.gpu.errors import GpuError
from megasolve.gpu.standin.sanitizer import WatchedRun, run_watched
from tests.support.standin.cpu_device import CpuDevice
from tests.support.standin.probes import probe_library
from tests.support.standin.stand_ins import value_of
from tests.support.toolchain import needs_host_compiler

pytestmark = needs_host_compiler


def watched(function: str, *bugs: str, **request: Any) -> WatchedRun:
    library = probe_library(*bugs, sanitizer=True)
    return run_watched(f"tests.support.kernels.runtime_races:{function}", {"library": str(library), "seed": 1, **request}, deadline_s=60.0)


def test_a_watched_library_loads_only_where_it_is_watched() -> None:
    with pytest.raises(GpuError, match="only in run_watched"):
        CpuDevice(probe_library(sanitizer=True))


def test_kernels_without_a_bug_have_no_race() -> None:
    run = watched("sound")
    assert value_of(run.result) == {"right": True}
    assert run.races == ()


@pytest.mark.parametrize(
    ("bug", "function", "request_"),
    [
        ("MS_BUG_RELAXED", "chain", {"waits": True}),
        ("MS_BUG_NO_BARRIER", "chain", {"waits": True}),
        ("", "chain", {"waits": False}),
        ("MS_BUG_SHARED", "turn", {}),
    ],
    ids=["relaxed counter", "missing barrier before the release", "dropped dependency", "missing barrier in shared memory"],
)
def test_a_planted_bug_is_a_race_with_its_place(bug: str, function: str, request_: dict[str, Any]) -> None:
    run = watched(function, *filter(None, [bug]), blocks=4, **request_)
    value_of(run.result)
    assert run.races
    assert {race.kind for race in run.races} == {"data race"}
    assert {race.where for race in run.races} == {f"probe_{function}"}
    assert all(race.place.startswith("probe.cu:") for race in run.races)
