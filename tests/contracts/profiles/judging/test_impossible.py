"""What no GPU can have run is refused with its row, whatever the format."""

from __future__ import annotations

from typing import Any

import pytest

from megasolve.contracts.profiles import Execution, Format, Kernel, KernelShape, ProfileRefused, Summary
from megasolve.contracts.profiles.judging.impossible import refuse_impossible
from tests.support.profiles.executions import US, execution, kernel, profiled, shape, summed

DAY_US = 24 * 3600 * 10**6


def reason(of: Execution) -> str:
    """Return why an execution is refused."""
    with pytest.raises(ProfileRefused) as caught:
        refuse_impossible(of)
    return caught.value.reason


def is_refused(of: Execution) -> bool:
    try:
        refuse_impossible(of)
    except ProfileRefused:
        return True
    return False


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ({"grid": (4, -1, 1)}, "a grid of 4x-1x1"),
        ({"grid": (2**16, 2**16, 1)}, "a grid of 65536x65536x1"),
        ({"block": (0, 1, 1)}, "a block of 0x1x1"),
        ({"registers": 0}, "0 registers"),
        ({"registers": -3, "cluster_ctas": -2}, "-3 registers, -2 CTAs in a cluster"),
        ({"shared_bytes": -5}, "-5 bytes of shared memory"),
        ({"shared_bytes": 10**32}, f"{10**32:,} bytes of shared memory"),
        ({"dynamic_shared_bytes": -5, "static_shared_bytes": 8, "shared_bytes": 3}, "-5 bytes of shared memory"),
    ],
)
def test_a_size_that_no_gpu_has_is_refused_with_the_row_of_the_first_such_kernel(figures: dict[str, Any], said: str) -> None:
    odd = KernelShape("gemm", **figures)
    of = execution([kernel("fine", 3, 1), kernel(odd, 5, 1), kernel(odd, 9, 1)])
    assert reason(of) == f"row 5: kernel 'gemm' cannot have run with {said}; record or export it again"


@pytest.mark.parametrize("known", [shape("gemm", 2**31 - 1, registers=255, shared_bytes=0), KernelShape("gemm")])
def test_what_may_have_run_and_what_is_unknown_is_not_refused(known: KernelShape) -> None:
    assert not is_refused(execution([kernel(known, 0, 0), kernel(known, -5, 11 * DAY_US)]))
    assert not is_refused(profiled((known, None)))
    assert not is_refused(summed(Format.NSYS_KERN_SUM, Summary(known, 3, 0, 1)))


def long(kernels: list[Kernel]) -> str:
    return reason(execution(kernels))


def test_times_longer_than_any_recording_are_refused_with_their_row() -> None:
    assert long([kernel("a", 7, 12 * DAY_US)]) == "row 7: 12 days cannot be measured; record or export it again"
    assert reason(summed(Format.NSYS_KERN_SUM, Summary(shape("a"), 3, 400 * DAY_US * US, 2))).startswith("row 2: 400 days")
    assert long([kernel("a", 5, 1), kernel("b", 20_000 * DAY_US, 1)]) == (
        f"row {20_000 * DAY_US} starts 19,999 days after row 5, as no recording lasts: two clocks are mixed; record or export it again"
    )


def test_launches_that_would_take_longer_than_any_recording_are_refused_with_their_row() -> None:
    many, slow = Summary(shape("a"), 2**31, 5, 3), Summary(shape("a"), 2, 5, 4, median_ps=6 * DAY_US * US)
    assert reason(summed(Format.NSYS_KERN_SUM, many)).startswith("row 3: 2,147,483,648 launches cannot have run")
    assert reason(summed(Format.NSYS_KERN_SUM, slow)).startswith("row 4: 12 days cannot be measured")


def test_traffic_beyond_any_memory_is_refused_with_its_row() -> None:
    assert reason(profiled((shape("gemm"), 1), (shape("copy"), 10**30))).startswith("row 1: kernel 'copy' cannot have moved 1,000,000,")
