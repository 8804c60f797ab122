"""Where the time of a profile goes."""

from __future__ import annotations

from megasolve.contracts.profiles import Format, KernelShape, Spent, Summary, longest_first, totals
from tests.support.profiles.executions import US, execution, kernel, profiled, shape, summed


def test_launches_of_one_shape_are_one_entry_and_the_longest_comes_first() -> None:
    wide = shape("gemm", 264)
    found = longest_first(execution([kernel("gemm", 0, 4), kernel(wide, 5, 9), kernel("gemm", 20, 3)]))
    assert found == (Spent(wide, 1, 9 * US), Spent(shape("gemm"), 2, 7 * US))


def test_what_has_no_time_comes_last_and_has_none() -> None:
    often, once = KernelShape("often"), KernelShape("once")
    of = profiled((once, 1), (often, 1), (often, 1))
    untimed = execution([one._replace(duration_ps=None) for one in of.kernels])
    assert longest_first(untimed) == (Spent(often, 2, None, 2), Spent(once, 1, None, 1))


def test_traffic_of_a_shape_is_that_of_all_its_launches_and_unknown_where_one_has_none() -> None:
    known, partly = KernelShape("known"), KernelShape("partly")
    of = profiled((known, 10), (known, 20), (partly, 5), (partly, None))
    rounded = execution([one._replace(hbm_tolerance_bytes=3) for one in of.kernels if one.shape == known])
    assert [(one.shape.name, one.hbm_bytes) for one in longest_first(of)] == [("known", 30), ("partly", None)]
    assert (totals(of).hbm_bytes, totals(execution()).hbm_bytes) == (None, None)
    assert [(one.hbm_bytes, one.hbm_tolerance_bytes) for one in longest_first(rounded)] == [(30, 6)]
    assert (totals(rounded).hbm_bytes, totals(rounded).hbm_tolerance_bytes) == (30, 6)


def test_pitfall_24_a_layer_takes_its_time_in_one_iteration_so_that_all_add_up_to_the_sum() -> None:
    layers = [Summary(shape(name), 10, 10 * us * US, row, mean_ps=us * US) for row, (name, us) in enumerate((("fc", 50), ("conv", 150)), 1)]
    of = summed(Format.TENSORRT_PROFILE, *layers)
    assert longest_first(of) == (Spent(shape("conv"), 1, 150 * US), Spent(shape("fc"), 1, 50 * US))
    assert totals(of).sum_ps == 200 * US
