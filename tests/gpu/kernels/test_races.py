"""The kernels under ThreadSanitizer: clean as they are, and each planted bug is found."""

from __future__ import annotations

import pytest

from megasolve.gpu.children.child import Finished
from megasolve.gpu.standin.sanitizer import Race, run_watched
from tests.support.kernels.host_build import kernel_library
from tests.support.kernels.programs import ONLY_OF_LAYER
from tests.support.kernels.races import THREADS
from tests.support.toolchain import needs_host_compiler

pytestmark = needs_host_compiler


def races_of(function: str, source: str, *defines: str, drops_waits: bool = False) -> tuple[Race, ...]:
    """Return the races in a run of *function* on the kernels of *source*, compiled with *defines*."""
    request = {"library": str(kernel_library(source, THREADS, *defines, sanitizer=True)), "drops_waits": drops_waits}
    run = run_watched(f"tests.support.kernels.races:{function}", request, deadline_s=60)
    assert isinstance(run.result, Finished), run.result
    return run.races


def test_no_operator_races() -> None:
    assert races_of("run_every_operation", "conventional.cu") == ()


def test_the_interpreter_does_not_race() -> None:
    assert races_of("run_layer", "interpreter.cu", ONLY_OF_LAYER) == ()


@pytest.mark.parametrize("bug", ["MS_BUG_RELAXED", "MS_BUG_NO_BARRIER", "MS_BUG_SHARED"])
def test_a_planted_bug_is_found(bug: str) -> None:
    assert any(race.kind == "data race" for race in races_of("run_layer", "interpreter.cu", ONLY_OF_LAYER, bug))


def test_a_dropped_wait_is_found() -> None:
    assert any("norm" in race.text for race in races_of("run_layer", "interpreter.cu", ONLY_OF_LAYER, drops_waits=True))
