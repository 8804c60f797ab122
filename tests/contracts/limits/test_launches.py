"""Launch limits: occupancy, legal shapes, grids, roles and co-residency, on plain values."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megasolve.contracts.check.rules import limit as limit_rules
from megasolve.contracts.limits.launches import launch_faults
from megasolve.contracts.limits.occupancy import (
    cta_register_limit,
    largest_legal_threads,
    occupancy,
    register_limit,
    registers_per_warp,
    sm_shortages,
    unverified_limits,
)
from megasolve.contracts.limits.residency import co_residency
from tests.support.planning.launches import codes, conventional, device, launch, limit_faults, megakernel

H100 = device()
threads_of_a_block = st.integers(1, 1024)
registers_of_a_thread = st.integers(1, 255)
shared_of_a_block = st.integers(0, 232448)


@pytest.mark.parametrize(
    ("threads", "limit"), [(1, 255), (256, 255), (384, 168), (512, 128), (640, 96), (3 * 224, 80), (768, 80), (1024, 64), (2048, 32)]
)
def test_register_limit_counts_warps_in_groups_of_four_and_rounds_down_to_the_unit(threads: int, limit: int) -> None:
    assert register_limit(H100, threads) == limit


@given(threads=threads_of_a_block)
def test_a_block_fits_at_its_register_limit_and_not_above(threads: int) -> None:
    limit = cta_register_limit(H100, threads)
    assert occupancy(H100, launch(threads, limit)).by["registers"] >= 1
    assert occupancy(H100, launch(threads, limit + 1)).by["registers"] == 0


@given(registers=registers_of_a_thread)
def test_the_largest_legal_block_fits_and_one_warp_more_does_not(registers: int) -> None:
    largest = largest_legal_threads(H100, registers)
    assert occupancy(H100, launch(largest, registers)).ctas_per_sm >= 1
    assert occupancy(H100, launch(largest + 32, registers)).ctas_per_sm == 0


def test_no_block_is_legal_above_the_registers_of_a_thread() -> None:
    assert largest_legal_threads(H100, 256) == 0


def test_occupancy_names_what_each_resource_allows_and_holds_the_least() -> None:
    held = occupancy(H100, launch(256, 64, shared_bytes=65536))
    assert (dict(held.by), held.ctas_per_sm) == ({"registers": 4, "threads": 8, "shared": 3, "ctas": 32}, 3)


def test_occupancy_skips_what_the_launch_leaves_open_and_lists_it() -> None:
    held = occupancy(H100, launch(None, None, unverified="not published"))
    assert (set(held.by), held.unverified) == ({"shared", "ctas"}, ("registers", "threads"))
    assert unverified_limits(launch(256, None)) == ("registers",)
    assert unverified_limits(launch(256, 64)) == ()


def test_shared_memory_is_held_in_whole_units() -> None:
    # Five CTAs would fit byte by byte: 5 x (45,670 + 1,024) = 233,470; held as 45,696 they take 233,600.
    assert occupancy(H100, launch(128, 32, shared_bytes=45670)).ctas_per_sm == 4


def test_threads_of_a_partial_warp_hold_a_whole_one() -> None:
    assert occupancy(H100, launch(33, 255)).by == occupancy(H100, launch(64, 255)).by


@given(threads=threads_of_a_block, registers=registers_of_a_thread, shared_bytes=shared_of_a_block)
def test_one_kind_of_cta_shares_an_sm_exactly_up_to_its_occupancy(threads: int, registers: int, shared_bytes: int) -> None:
    shape = launch(threads, registers, shared_bytes=shared_bytes)
    held = occupancy(H100, shape).ctas_per_sm
    assert sm_shortages(H100, ((shape, held),)) == ()
    assert sm_shortages(H100, ((shape, held + 1),)) != ()


@given(threads=threads_of_a_block, registers=registers_of_a_thread, shared_bytes=shared_of_a_block)
def test_a_shape_is_refused_exactly_where_no_cta_fits(threads: int, registers: int, shared_bytes: int) -> None:
    shape = launch(threads, registers, shared_bytes=shared_bytes)
    assert bool(launch_faults(H100, megakernel(shape), 1)) == (occupancy(H100, shape).ctas_per_sm == 0)


def test_the_register_message_carries_the_arithmetic_and_both_repairs() -> None:
    (fault,) = launch_faults(H100, megakernel(launch(512, 156)), 132)
    assert fault.message == (
        "registers: 16 warps x 5,120 = 81,920 > 65,536 per SM; the largest legal block at 156 registers is 384 threads; "
        "a 512-thread variant needs a compiled entry with at most 128 registers"
    )


def test_the_register_message_shows_warps_that_are_held_for_the_group_of_four() -> None:
    (fault,) = launch_faults(H100, megakernel(launch(416, 162)), 132)
    assert "13 warps (held as 16, in groups of 4) x 5,376 = 86,016 > 65,536" in fault.message


def test_a_smaller_register_limit_per_cta_is_named_as_the_cause() -> None:
    (fault,) = launch_faults(device(registers_per_cta=32768), megakernel(launch(512, 128)), 132)
    assert "= 65,536 > 32,768 per CTA" in fault.message
    assert "at most 64 registers" in fault.message


def test_independent_faults_are_all_reported() -> None:
    entry = megakernel(launch(384, 224, shared_bytes=240000))
    assert codes(launch_faults(H100, entry, 133)) == ["LIM-09", "LIM-10", "LIM-12"]


def test_threads_and_registers_above_their_own_limits_are_two_faults() -> None:
    entry = megakernel(launch(1025, 256))
    assert codes(launch_faults(H100, entry, 132)) == ["LIM-07", "LIM-08", "LIM-09"]


def test_shared_memory_with_its_reserve_must_fit_the_sm_where_the_limit_per_cta_is_loose() -> None:
    loose = device(shared_bytes_per_cta=233472)
    assert codes(launch_faults(loose, megakernel(launch(shared_bytes=232449)), 132)) == ["LIM-10"]


def test_a_declared_residency_above_the_occupancy_names_the_largest_legal_grid() -> None:
    (fault,) = launch_faults(H100, megakernel(launch(256, 64, ctas_per_sm=5)), 132)
    assert fault.message == (
        "occupancy: 5 CTAs per SM declared, 4 fit (by registers 4, threads 8, shared 228, ctas 32); "
        "the largest legal grid on h100 is 4 x 132 = 528 CTAs; 5 per SM need a compiled entry with at most 48 registers"
    )


def test_a_shape_that_does_not_fit_at_all_is_not_blamed_on_the_declared_residency() -> None:
    assert codes(launch_faults(H100, megakernel(launch(512, 156, ctas_per_sm=2)), 132)) == ["LIM-09"]


def test_unverified_threads_and_registers_skip_their_limits_but_no_other() -> None:
    entry = megakernel(launch(None, None, unverified="not published", shared_bytes=232449))
    assert codes(launch_faults(H100, entry, 133)) == ["LIM-10", "LIM-12"]


@given(budget=st.integers(1, 600), ctas_per_sm=st.integers(1, 4))
def test_a_budget_is_legal_exactly_up_to_the_declared_residency_of_all_sms(budget: int, ctas_per_sm: int) -> None:
    found = launch_faults(H100, megakernel(launch(256, 64, ctas_per_sm=ctas_per_sm)), budget)
    assert (found == ()) == (budget <= 132 * ctas_per_sm)


def test_a_conventional_grid_runs_in_waves_unless_it_is_cooperative() -> None:
    assert launch_faults(H100, conventional(grid_ctas=1000), 132) == ()
    assert codes(launch_faults(H100, conventional(launch(cooperative=True), grid_ctas=1000), 132)) == ["LIM-12"]


def test_ordinary_clusters_of_a_conventional_grid_need_no_count() -> None:
    assert launch_faults(H100, conventional(launch(cluster_ctas=8), grid_ctas=1000), 132) == ()


def test_a_grid_that_outgrows_its_budget_is_a_deadlock_only_if_its_ctas_wait() -> None:
    def found(**synchronization: Any) -> list[str]:
        return codes(launch_faults(H100, megakernel(grid_ctas=132, synchronization=synchronization), 88))

    assert found(kind="none") == []
    assert found(kind="counters") == ["SYN-02"]
    assert found(kind="counters", ordered=True) == []
    assert found(kind="grid_barrier", ordered=True) == ["SYN-02"]


def test_without_a_statement_about_synchronization_a_deadlock_is_possible() -> None:
    (fault,) = launch_faults(H100, megakernel(grid_ctas=132), 88)
    assert fault.message.startswith("possible deadlock: a grid of 132 CTAs on 88 resident slots: 44 cannot start")


# Roles


def roles(*counts: tuple[int, int]) -> tuple[dict[str, Any], ...]:
    """Return roles r0, r1, ... with these threads and registers."""
    return tuple({"name": f"r{index}", "threads": threads, "registers": registers} for index, (threads, registers) in enumerate(counts))


def role_codes(threads: int, registers: int, *counts: tuple[int, int]) -> list[str]:
    """Return the codes of what is wrong with roles of these threads and registers."""
    return [fault.rule.code for fault in limit_faults(megakernel(launch(threads, registers, roles=roles(*counts))))]


def test_the_roles_of_a_published_megakernel_use_its_allocation_to_the_last_register() -> None:
    assert role_codes(640, 96, (512, 104), (128, 64)) == []
    assert 512 * 104 + 128 * 64 == 640 * 96 == 61440


def test_role_threads_must_sum_to_the_launch() -> None:
    assert role_codes(640, 96, (512, 96), (96, 96)) == ["LIM-02"]


@pytest.mark.parametrize(("registers", "legal"), [(16, False), (24, True), (100, False), (104, True), (168, True)])
def test_a_role_can_be_set_to_whole_units_only(registers: int, legal: bool) -> None:
    assert role_codes(256, 160, (128, registers), (128, 136)) == ([] if legal else ["LIM-03"])


def test_a_role_never_exceeds_the_largest_count_of_a_thread() -> None:
    assert role_codes(256, 168, (128, 256), (128, 24)) == ["LIM-03"]


def test_a_role_that_keeps_the_compiled_count_may_have_any() -> None:
    assert role_codes(96, 100, (32, 100), (64, 100)) == []


def test_single_warps_at_one_count_share_a_warpgroup() -> None:
    assert role_codes(640, 96, (512, 104), (32, 64), (32, 64), (32, 64), (32, 64)) == []


def test_registers_are_not_moved_by_parts_of_a_warpgroup() -> None:
    assert role_codes(384, 168, (320, 168), (64, 32)) == ["LIM-04"]


def test_roles_hold_at_most_what_the_launch_allocated() -> None:
    (fault,) = limit_faults(megakernel(launch(384, 168, roles=roles((128, 32), (256, 240)))))
    assert (fault.rule.code, fault.path) == ("LIM-05", ("launch", "roles", 1, "registers"))
    assert fault.message == (
        "roles hold 128 x 32 + 256 x 240 = 65,536 registers > 384 x 168 = 64,512 allocated at launch; role 'r1' can take at most 232"
    )


def test_the_allocation_at_launch_counts_in_units_too() -> None:
    assert registers_per_warp(H100, 162) == 32 * 168
    assert role_codes(384, 162, (128, 40), (256, 232)) == []


def test_a_role_limit_needs_a_stated_launch() -> None:
    shape = launch(None, None, unverified="not published", roles=roles((128, 32)))
    assert limit_rules.role_register_limit(shape, shape.roles[0]) is None


# Declarations


@pytest.mark.parametrize(("threads", "registers", "missing"), [(None, None, "threads and registers"), (256, None, "registers")])
def test_a_megakernel_states_its_launch_or_why_it_cannot(threads: int | None, registers: int | None, missing: str) -> None:
    (fault,) = limit_faults(megakernel(launch(threads, registers)))
    assert fault.rule.code == "LIM-01"
    assert f"without {missing};" in fault.message
    assert limit_faults(megakernel(launch(threads, registers, unverified="not published"))) == []


def test_a_conventional_kernel_may_leave_its_launch_open() -> None:
    assert limit_faults(conventional(launch(None, None))) == []


def test_budgets_and_grids_are_whole_clusters() -> None:
    found = limit_faults(megakernel(launch(cluster_ctas=8), budgets_ctas=(120, 100, 4), grid_ctas=9))
    assert [(fault.rule.code, fault.path) for fault in found] == [
        ("LIM-06", ("budgets_ctas", 1)),
        ("LIM-06", ("budgets_ctas", 2)),
        ("LIM-06", ("grid_ctas",)),
    ]


def test_counts_per_cta_belong_to_a_grid_barrier() -> None:
    (fault,) = limit_faults(megakernel(synchronization={"kind": "counters", "barriers_per_cta": (2, 2)}))
    assert fault.rule.code == "SYN-03"
    assert limit_faults(megakernel(synchronization={"kind": "grid_barrier", "barriers_per_cta": (2, 2)})) == []


def test_each_budget_is_reported_at_its_own_place_in_the_order_of_the_file() -> None:
    entry = megakernel(launch(cluster_ctas=2), budgets_clusters=(40, 67, 70))
    on_device = device(clusters=({"cluster_ctas": 2, "active_clusters": 66},))
    found = [(fault.rule.code, fault.path) for fault in limit_rules.budgets_fit(entry, on_device)]
    assert found == [(code, ("budgets_clusters", index)) for index in (1, 2) for code in ("LIM-12", "LIM-13")]


def test_a_grid_that_outgrows_several_budgets_is_reported_once() -> None:
    entry = megakernel(grid_ctas=140, budgets_ctas=(132, 88))
    assert [fault.path for fault in limit_rules.budgets_fit(entry, H100)] == [("grid_ctas",)]


# Co-residency

HALF_FILE = launch(512, 72)  # 16 warps x 2,304: two do not share a register file.
LIGHT = launch(256, 64)


def test_entries_that_cannot_share_an_sm_need_no_assumption() -> None:
    pair = co_residency(H100, megakernel(HALF_FILE), 88, megakernel(HALF_FILE), 44)
    assert (pair.fits, pair.exclusive, pair.mixed, pair.assumption) == (True, True, False, None)
    assert (pair.sms_x, pair.sms_y, pair.because) == (88, 44, "88 + 44 = 132 SMs <= 132")


def test_a_split_that_needs_more_sms_than_there_are_does_not_fit() -> None:
    pair = co_residency(H100, megakernel(HALF_FILE), 88, megakernel(HALF_FILE), 45)
    assert (pair.fits, pair.because) == (False, "88 + 45 = 133 SMs > 132 on h100")


def test_a_cta_that_is_packed_with_its_like_takes_half_an_sm() -> None:
    dense = megakernel(launch(512, 64, ctas_per_sm=2), placement={"packed": "a cluster of two"})
    pair = co_residency(H100, dense, 177, megakernel(HALF_FILE), 43)
    assert (pair.fits, pair.sms_x, pair.sms_y) == (True, 89, 43)


def test_separate_sms_are_an_assumption_where_the_entries_could_share_one() -> None:
    pair = co_residency(H100, megakernel(LIGHT, entry="stage"), 88, megakernel(LIGHT, entry="codec"), 44)
    assert (pair.fits, pair.mixed) == (True, False)
    assert pair.assumption == "'stage' and 'codec' are placed on separate SMs, although one CTA of each fits on the same SM of h100"


def test_separate_sms_are_an_assumption_where_a_launch_is_unverified() -> None:
    unknown = megakernel(launch(None, None, unverified="not published"), entry="stage")
    pair = co_residency(H100, unknown, 88, megakernel(HALF_FILE), 44)
    assert pair.fits
    assert pair.assumption is not None
    assert "unverified (stage)" in pair.assumption


def test_an_even_mix_fits_where_separate_sms_do_not() -> None:
    pair = co_residency(H100, megakernel(LIGHT, entry="stage"), 132, megakernel(LIGHT, entry="codec"), 44)
    assert (pair.fits, pair.mixed, pair.exclusive) == (True, True, False)
    assert pair.assumption == "every SM of h100 holds up to 1 CTAs of 'stage' and 1 of 'codec'"


def test_an_even_mix_is_never_assumed_of_an_unverified_launch() -> None:
    unknown = megakernel(launch(None, None, unverified="not published"))
    assert not co_residency(H100, unknown, 132, megakernel(LIGHT), 44).fits


def test_an_even_mix_that_overfills_an_sm_does_not_fit() -> None:
    dense = megakernel(launch(256, 64, ctas_per_sm=4))
    pair = co_residency(H100, dense, 528, megakernel(LIGHT), 44)
    assert (pair.fits, pair.exclusive) == (False, False)


def test_a_pair_shares_only_the_sms_that_its_process_sees() -> None:
    half = device(mps_active_thread_percentage=50)
    assert co_residency(half, megakernel(HALF_FILE), 44, megakernel(HALF_FILE), 22).fits
    assert not co_residency(half, megakernel(HALF_FILE), 44, megakernel(HALF_FILE), 23).fits


def test_clusters_of_one_size_count_together() -> None:
    uneven = device(clusters=({"cluster_ctas": 8, "active_clusters": 15},))
    clustered = megakernel(launch(512, 72, cluster_ctas=8))
    assert co_residency(uneven, clustered, 80, clustered, 40).fits
    assert co_residency(uneven, clustered, 80, clustered, 48).because == "10 + 6 = 16 clusters of 8 CTAs > 15 co-resident on h100"


def test_clusters_beside_single_ctas_assume_that_the_clusters_are_placed_first() -> None:
    pair = co_residency(H100, megakernel(launch(512, 72, cluster_ctas=8)), 80, megakernel(HALF_FILE), 40)
    assert pair.assumption == "the larger clusters are placed before the other CTAs"


@given(x_ctas=st.integers(1, 200), y_ctas=st.integers(1, 200), registers=st.integers(16, 128))
def test_co_residency_does_not_depend_on_the_order_of_the_pair(x_ctas: int, y_ctas: int, registers: int) -> None:
    x, y = megakernel(launch(512, registers)), megakernel(LIGHT)
    one, other = co_residency(H100, x, x_ctas, y, y_ctas), co_residency(H100, y, y_ctas, x, x_ctas)
    assert (one.fits, one.mixed, one.exclusive, one.sms_x, one.sms_y) == (
        other.fits,
        other.mixed,
        other.exclusive,
        other.sms_y,
        other.sms_x,
    )
