"""Which times of a profile belong to which contract of a spec, and which belong to none."""

from __future__ import annotations

from typing import Any

from megasolve.contracts import Contract
from megasolve.contracts.observe.observation import AttributedBy, GroupRule
from megasolve.contracts.observe.observe import observe
from megasolve.contracts.profiles import Execution, KernelShape
from megasolve.contracts.scaffold.matching import claims, differences
from megasolve.contracts.scaffold.timings import Timing, Unused, timings
from tests.support.profiles.executions import US, execution, in_a_row, shape, span


def contract(entry: str, *kernels: str, **changed: Any) -> Contract:
    """Return a conventional contract of group D that names *kernels*."""
    launch = {"threads": 128}
    base = {
        "megasolve": "contract/v1",
        "entry": entry,
        "backend": "conventional",
        "members": ("D",),
        "launch": {**launch, "unverified": "x"},
    }
    dispatch = {"kind": "stream", "host_waits": False}
    return Contract.model_validate({**base, "dispatch": dispatch, "observed": {"kernels": kernels}, **changed})


def megakernel(entry: str, *kernels: str, **changed: Any) -> Contract:
    """Return a megakernel of group D with two budgets."""
    return contract(entry, *kernels, **{"backend": "megakernel", "budgets_ctas": (132, 88), "loops_on_device": False, **changed})


def found(of: Execution, *contracts: Contract, calls: int = 1) -> tuple[tuple[Timing, ...], tuple[Unused, ...]]:
    return timings(observe((of,), AttributedBy((GroupRule("D"),))), contracts, {"D": calls}, 132)


def row(*launches: tuple[str | KernelShape, int]) -> Execution:
    return execution(in_a_row(*launches))


def test_a_pattern_fits_the_whole_name_or_that_of_the_function() -> None:
    shapes = [shape("void ns::gemm<4>(float*)"), shape("void ns::norm<4>(float*)")]
    assert claims([contract("a", "gemm"), contract("b", "*norm<*")], shapes) == {"a": (shapes[0],), "b": (shapes[1],)}


def test_a_name_that_is_spelt_out_goes_before_patterns() -> None:
    name = "void f<float*>(float*)"
    assert claims([contract("any", "*"), contract("spelt", name)], [shape(name)]) == {"any": (), "spelt": (shape(name),)}


def test_the_spelling_of_another_tool_fits_too() -> None:
    mine = contract("a", "internal::gemvx::kernel<(int)7, (bool)0>")
    assert claims([mine], [shape("void internal::gemvx::kernel<7, false>(float)")])["a"] != ()


def test_brackets_and_stars_of_a_kernel_name_are_no_pattern() -> None:
    name = "f<[lambda() (instance 1)]>(float*)"
    assert claims([contract("a", name)], [shape(name)]) == {"a": (shape(name),)}


def test_shapes_of_one_name_go_to_the_contracts_of_their_grids() -> None:
    small, large = shape("gemm", 16), shape("gemm", 64)
    contracts = [contract("large", "gemm", grid_ctas=64), contract("small", "gemm", grid_ctas=16)]
    assert claims(contracts, [small, large]) == {"large": (large,), "small": (small,)}


def test_a_shape_that_nobody_declares_goes_to_the_contract_that_would_have_none() -> None:
    known, strange = shape("gemm", 16), shape("gemm", 80)
    contracts = [contract("known", "gemm", grid_ctas=16), contract("stale", "gemm", grid_ctas=64)]
    assert claims(contracts, [known, strange]) == {"known": (known,), "stale": (strange,)}


def test_a_shape_that_two_groups_run_belongs_to_the_contracts_of_both() -> None:
    both = [contract("P.gemm", "gemm", members=("P",)), contract("D.gemm", "gemm")]
    assert claims(both, [shape("gemm")]) == {"P.gemm": (shape("gemm"),), "D.gemm": (shape("gemm"),)}


def test_what_either_side_does_not_say_differs_in_nothing() -> None:
    assert differences(contract("a", "f"), KernelShape("f")) == ()
    assert differences(contract("a", "f", launch={"unverified": "unknown"}), shape("f", registers=9, shared_bytes=5)) == ()


def test_shared_memory_may_differ_by_what_its_format_rounds() -> None:
    rounded = shape("f", shared_bytes=2000, shared_tolerance_bytes=500)
    for stated, differing in ((1500, 0), (2500, 0), (2501, 1)):
        assert len(differences(contract("a", "f", launch={"shared_bytes": stated}), rounded)) == differing


def test_a_contract_takes_the_time_of_all_its_kernels() -> None:
    (timing,), unused = found(row(("gemm_a", 10), ("other", 5), ("gemm_b", 20)), contract("gemm", "gemm_*"))
    assert (timing.group, timing.budget_ctas, timing.samples_ps) == ("D", 132, (30 * US,))
    assert [(one.kernel.shape.name, one.because) for one in unused] == [("other", "no contract names it in observed.kernels")]


def test_the_calls_of_a_step_share_its_time() -> None:
    (timing,), _ = found(row(*[("gemm", 10)] * 8), contract("gemm", "gemm"), calls=8)
    assert timing.samples_ps == (10 * US,)


def test_calls_that_ranges_mark_are_not_divided_again() -> None:
    calls = [in_a_row(("gemm", 10), start_us=20 * n, ranges=[span("local", 20 * n, 20 * n + 15)]) for n in range(4)]
    of = execution([launch for call in calls for launch in call])
    observation = observe((of,), AttributedBy((GroupRule("D", ranges=("local",)),)))
    (timing,), _ = timings(observation, [contract("gemm", "gemm")], {"D": 4}, 132)
    assert set(timing.samples_ps) == {10 * US}


def test_a_megakernel_has_a_time_for_each_grid_that_it_ran_with() -> None:
    found_timings, _ = found(row((shape("loop", 132), 10), (shape("loop", 88), 14)), megakernel("loop", "loop"))
    assert [(timing.budget_ctas, timing.samples_ps) for timing in found_timings] == [(132, (10 * US,)), (88, (14 * US,))]


def test_one_launch_of_several_members_or_steps_gives_no_time() -> None:
    of = row((shape("loop", 132), 10))
    for changed, because in (
        ({"members": ("P", "D")}, "one launch of 'loop' runs P, D, and nothing tells their times apart"),
        ({"loops_on_device": True}, "one launch of 'loop' runs all steps, and nothing tells their times apart"),
        ({"members": ("P",)}, "entry 'loop' does not run group 'D'"),
    ):
        timed, (unused,) = found(of, megakernel("loop", "loop", **changed))
        assert (timed, unused.because) == ((), because)


def test_an_entry_that_loops_yet_ran_in_each_step_is_told_so() -> None:
    steps = [in_a_row((shape("loop", 132), 10), start_us=20 * n, ranges=[span("step", 20 * n, 20 * n + 15)]) for n in range(3)]
    of = execution([launch for step in steps for launch in step])
    observation = observe((of,), AttributedBy((GroupRule("D", ranges=("step",)),)))
    timed, (unused,) = timings(observation, [megakernel("loop", "loop", loops_on_device=True)], {"D": 1}, 132)
    told = "'loop' says loops_on_device: true, one launch for all steps, but ran in 3 of them"
    assert (timed, unused.because) == ((), told)


def test_unused_kernels_come_with_the_longest_first() -> None:
    _, unused = found(row(("short", 1), ("long", 9), ("middle", 5)))
    assert [one.kernel.shape.name for one in unused] == ["long", "middle", "short"]


def test_a_shape_of_which_less_is_known_goes_to_the_contract_that_says_less() -> None:
    known, unknown = shape("gemm", 16), KernelShape("gemm", block=(128, 1, 1))
    contracts = [contract("sized", "gemm", grid_ctas=16), contract("any", "gemm")]
    assert claims(contracts, [known, unknown]) == {"sized": (known,), "any": (unknown,)}
