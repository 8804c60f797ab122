"""What the device waited for before each launch: the host, the launch, a copy, or something else."""

from __future__ import annotations

from typing import Any

from megasolve.contracts.observe.observation import AttributedBy, GroupRule, StepTime
from megasolve.contracts.observe.observe import observe
from megasolve.contracts.profiles import Interval, Kernel, LaunchCall
from tests.support.profiles.executions import US, execution, kernel


def called(start_us: int, end_us: int) -> LaunchCall:
    return LaunchCall(start_us * US, end_us * US)


def step(*kernels: Kernel, **said: Any) -> StepTime:
    found = observe((execution(kernels, **said),), AttributedBy((GroupRule("step"),))).step_time
    assert found is not None
    return found


def us(of: StepTime) -> tuple[int, ...]:
    """Return kernels, copies, launches, host and other waits in microseconds."""
    return tuple(time_ps // US for time_ps in (of.kernels_ps, of.copies_ps, of.launching_ps, of.host_ps, of.other_ps))


def test_until_the_call_is_over_the_device_waits_for_the_host_and_then_for_the_launch() -> None:
    found = step(kernel("a", 0, 10, call=called(0, 1)), kernel("b", 30, 10, call=called(12, 25)))
    assert us(found) == (20, 0, 5, 15, 0)
    assert found.total_ps == 40 * US


def test_a_call_that_was_early_leaves_the_launch_alone() -> None:
    assert us(step(kernel("a", 0, 10, call=called(0, 1)), kernel("b", 12, 10, call=called(2, 3)))) == (20, 0, 2, 0, 0)


def test_without_a_call_all_of_it_is_the_launch() -> None:
    assert us(step(kernel("a", 0, 10), kernel("b", 12, 10))) == (20, 0, 2, 0, 0)


def test_copies_in_between_are_time_of_the_device() -> None:
    copies = (Interval(12 * US, 15 * US, 0), Interval(14 * US, 18 * US, 0))
    assert us(step(kernel("a", 0, 10), kernel("b", 20, 10), copies=copies)) == (20, 6, 4, 0, 0)


def test_a_wait_that_no_launch_costs_is_for_something_else() -> None:
    kernels = [kernel("a", 12 * place, 10) for place in range(20)]
    found = step(*kernels, kernel("late", 20 * 12 + 50_000, 10))
    assert found.other_ps // US == 50_000 + 2
    assert found.launching_ps // US == 19 * 2
