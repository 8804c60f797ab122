"""Field cases about launches, residency, clusters and partitions, each with the answer worked out by hand."""

from __future__ import annotations

import pytest

from megasolve.contracts.check.rules import limit as limit_rules
from megasolve.contracts.limits.grids import resident_ctas
from megasolve.contracts.limits.launches import launch_violations
from megasolve.contracts.limits.occupancy import cta_register_limit, largest_legal_threads, occupancy, register_limit
from megasolve.contracts.limits.partitions import green_context_violations, mps_sms, partition_violations
from megasolve.contracts.limits.residency import co_residency
from megasolve.contracts.model.contract import Contract
from megasolve.contracts.model.device import Device
from tests.support.planning.launches import SMALL_SHARED, budget_codes, codes, device, launch, megakernel

H100 = device()
IN_EIGHTS = device(partition={"unit_sms": 8, "minimum_sms": 8, "sizes_sms": tuple(range(8, 132, 8))})


def test_c01_a_block_with_too_many_registers_is_infeasible_and_never_spilled_instead() -> None:
    b300 = device(name="b300", sms=152)
    (violation,) = launch_violations(b300, megakernel(launch(512, 156)), 152)
    assert violation.rule.code == "LIM-09"
    assert "16 warps x 5,120 = 81,920 > 65,536" in violation.because
    assert "a 512-thread variant needs a compiled entry with at most 128 registers" in violation.because
    assert occupancy(b300, launch(256, 156)).ctas_per_sm == 1
    assert budget_codes(b300, megakernel(launch(256, 156)), 152) == []
    assert budget_codes(b300, megakernel(launch(256, 156)), 153) == ["LIM-12"]


def test_c02_the_largest_legal_block_counts_whole_warps_not_registers_over_registers() -> None:
    rtx_4090 = device(name="rtx_4090", sms=128, threads_per_sm=1536)
    assert [occupancy(rtx_4090, launch(threads, 162)).ctas_per_sm for threads in (512, 416, 384)] == [0, 0, 1]
    assert largest_legal_threads(rtx_4090, 162) == 384
    assert resident_ctas(rtx_4090, megakernel(launch(384, 162))) == 128


def test_c03_warps_are_allocated_in_groups_of_four_per_sm() -> None:
    a100 = device(name="a100", sms=108)
    assert occupancy(a100, launch(224, 92)).by["registers"] == 2
    (violation,) = launch_violations(a100, megakernel(launch(224, 92, ctas_per_sm=3)), 324)
    assert violation.rule.code == "LIM-11"
    assert "2 x 108 = 216 CTAs" in violation.because


@pytest.mark.parametrize(("threads", "held"), [(128, 10), (256, 5), (512, 2), (1024, 1)])
def test_c04_registers_of_one_allocation_class_give_one_occupancy(threads: int, held: int) -> None:
    assert {occupancy(H100, launch(threads, registers)).ctas_per_sm for registers in range(41, 49)} == {held}
    assert occupancy(H100, launch(threads, 49)).by["registers"] <= held
    assert occupancy(H100, launch(1024, 40)).by["registers"] == 1


def test_c04_the_next_class_starts_at_49_registers() -> None:
    assert occupancy(H100, launch(128, 49)).ctas_per_sm == 9


def test_c05_a_register_limit_per_cta_applies_before_the_file_of_the_sm() -> None:
    assert occupancy(H100, launch(128, 85)).by["registers"] == 5
    assert occupancy(device(registers_per_cta=32768), launch(128, 85)).by["registers"] == 4


@pytest.mark.parametrize(("shared_bytes", "held"), [(231425, 1), (232448, 1), (232449, 0), (115712, 2), (116736, 1)])
def test_c07_the_reserve_is_not_subtracted_from_the_limit_per_cta(shared_bytes: int, held: int) -> None:
    assert occupancy(H100, launch(128, 32, shared_bytes=shared_bytes)).ctas_per_sm == held


@pytest.mark.parametrize(
    ("on", "shared_bytes", "overshoot"),
    [
        (H100, 1179648, "947,200"),
        (H100, 263356, "30,908"),
        (device(name="rtx_5090", sms=170, **SMALL_SHARED), 211968, "110,592"),
    ],
)
def test_c08_too_much_shared_memory_is_refused_with_the_overshoot(on: Device, shared_bytes: int, overshoot: str) -> None:
    (violation,) = launch_violations(on, megakernel(launch(shared_bytes=shared_bytes)), 100)
    assert violation.rule.code == "LIM-10"
    assert f"{overshoot} B too many" in violation.because


def test_c08_thirteen_pages_need_the_large_part_and_five_fit_the_small_one() -> None:
    small = device(name="small", **SMALL_SHARED)
    assert [occupancy(on, launch(shared_bytes=pages * 16384)).ctas_per_sm for on in (H100, small) for pages in (13, 5)] == [1, 2, 0, 1]


@pytest.mark.parametrize(("sms", "legal"), [(132, [96, 72]), (78, [72])])
def test_c09_a_cooperative_grid_must_fit_the_sms_of_this_device(sms: int, legal: list[int]) -> None:
    entry = megakernel(launch(960, 64, cooperative=True))
    assert [288 // groups for groups in (2, 3, 4) if budget_codes(device(sms=sms), entry, 288 // groups) == []] == legal


def test_c09_nine_hundred_sixty_threads_hold_at_most_64_registers_each() -> None:
    assert cta_register_limit(H100, 960) == 64
    assert occupancy(H100, launch(960, 65)).ctas_per_sm == 0


@pytest.mark.parametrize(("sms", "found"), [(132, []), (114, ["LIM-12"]), (78, ["LIM-12"])])
def test_c10_the_sm_count_belongs_to_the_device_not_to_the_architecture(sms: int, found: list[str]) -> None:
    assert budget_codes(device(sms=sms, compute_capability="9.0"), megakernel(), 132) == found


def test_c10_the_message_names_the_largest_grid() -> None:
    (violation,) = launch_violations(device(name="h20", sms=78), megakernel(), 132)
    assert violation.because.startswith("budget of 132 CTAs > 1 per SM x 78 SMs = 78 on h20; the largest legal grid is 78 CTAs")


def test_c11_a_grid_planned_on_one_device_is_too_large_on_a_smaller_one() -> None:
    entry = megakernel(launch(256, 64, ctas_per_sm=2, cooperative=True))
    assert budget_codes(device(sms=82), entry, 164) == []
    assert budget_codes(device(sms=76), entry, 164) == ["LIM-12"]
    assert budget_codes(device(sms=76), entry, 152) == []


def test_c12_a_budget_in_clusters_is_compared_in_ctas() -> None:
    clustered = device(clusters=({"cluster_ctas": 4, "active_clusters": 32},))
    entry = megakernel(launch(256, 64, cluster_ctas=4, cooperative=True), budgets_clusters=(66,))
    (budget,) = entry.budgets
    assert budget == 264
    too_large, too_many = launch_violations(clustered, entry, budget)
    assert "66 clusters x 4 = 264 CTAs > 1 per SM x 132 SMs = 132" in too_large.because
    assert "66 clusters of 4 > 32 co-resident" in too_many.because


def test_c13_sms_over_cluster_size_is_not_how_many_clusters_fit() -> None:
    entry = megakernel(launch(512, 72, cluster_ctas=8))
    measured = device(clusters=({"cluster_ctas": 8, "active_clusters": 15},))
    assert [budget_codes(measured, entry, budget) for budget in (128, 120, 112)] == [["LIM-13"], [], []]
    (unknown,) = launch_violations(H100, entry, 120)
    assert "unknown, needs the device's max_active_clusters" in unknown.because


def test_c13_free_sms_that_are_too_few_hold_no_second_entry() -> None:
    entry = megakernel(launch(512, 72, cluster_ctas=8))
    assert not co_residency(
        device(clusters=({"cluster_ctas": 8, "active_clusters": 15},)), entry, 120, megakernel(launch(512, 72)), 16
    ).fits


def test_c14_an_oversize_grid_is_refused_and_never_clamped() -> None:
    (violation,) = launch_violations(H100, megakernel(launch(cooperative=True)), 216)
    assert violation.rule.code == "LIM-12"
    assert "the largest legal grid is 132 CTAs, a budget with records of its own" in violation.because


def test_c15_two_entries_fit_exactly_up_to_the_sms_where_one_cta_fills_an_sm() -> None:
    padded = megakernel(launch(256, 64, shared_bytes=115713))
    assert co_residency(H100, padded, 112, padded, 20).fits
    assert not co_residency(H100, padded, 112, padded, 21).fits


@pytest.mark.parametrize(("shape", "alone"), [({"shared_bytes": 115712}, False), ({"shared_bytes": 115713}, True)])
def test_c15_one_cta_per_sm_is_certain_only_if_two_cannot_fit(shape: dict[str, int], alone: bool) -> None:
    entry = megakernel(launch(256, 64, **shape))
    assert co_residency(H100, entry, 112, entry, 20).exclusive is alone


def test_c15_ctas_that_share_sms_make_separate_placement_an_assumption() -> None:
    light = launch(256, 64, shared_bytes=65536)
    assert occupancy(H100, light).ctas_per_sm == 3
    assert co_residency(H100, megakernel(light), 112, megakernel(light), 20).assumption is not None


def test_c16_under_mps_a_process_sees_its_share_of_the_sms() -> None:
    t4 = device(name="t4", sms=40, mps_active_thread_percentage=10)
    assert t4.usable_sms == 4
    (violation,) = launch_violations(t4, megakernel(), 40)
    assert "1 per SM x 4 SMs (MPS: 10 % of 40, rounded down) = 4" in violation.because
    assert budget_codes(t4, megakernel(), 4) == []


def test_c17_a_grid_barrier_over_more_ctas_than_are_resident_is_a_deadlock() -> None:
    p100 = device(name="p100", sms=56)
    barrier = megakernel(launch(1024, 32, ctas_per_sm=2), synchronization={"kind": "grid_barrier"})
    (violation,) = launch_violations(p100, barrier, 128)
    assert violation.because.endswith("its grid barrier is a deadlock: 16 CTAs never start while 112 wait")
    assert budget_codes(p100, barrier, 112) == []
    assert [occupancy(p100, launch(1024, registers)).ctas_per_sm for registers in (32, 33)] == [2, 1]


def test_c20_waiting_ctas_must_not_take_the_slots_of_those_they_wait_for() -> None:
    slots = device(sms=160)
    shape = launch(256, 32, ctas_per_sm=8)
    waits = megakernel(shape, grid_ctas=20480, synchronization={"kind": "counters"})
    ordered = megakernel(shape, grid_ctas=20480, synchronization={"kind": "counters", "ordered": True})
    fitting = megakernel(shape, grid_ctas=1280, synchronization={"kind": "counters"})
    assert [budget_codes(slots, entry, 1280) for entry in (waits, ordered, fitting)] == [["SYN-02"], [], []]


def test_c21_a_grid_barrier_that_ctas_meet_unequally_often_is_a_deadlock() -> None:
    entry = megakernel(synchronization={"kind": "grid_barrier", "barriers_per_cta": (4, 7, 7, 2)})
    (fault,) = limit_rules.equal_barriers(entry)
    assert fault.rule.code == "SYN-01"
    assert fault.message == (
        "CTAs meet the grid barrier 4, 7, 7, 2 times: a deadlock; every CTA meets it 7 times, and each pays for 7, not for the mean"
    )
    legal = megakernel(synchronization={"kind": "grid_barrier", "barriers_per_cta": (7, 7, 7, 7)})
    assert list(limit_rules.equal_barriers(legal)) == []


@pytest.mark.parametrize(("sms", "budget", "found"), [(304, 240 + 64, []), (256, 240 + 64, ["LIM-12"]), (256, 240 + 8, [])])
def test_c23_a_geometry_copied_from_a_larger_chip_does_not_fit(sms: int, budget: int, found: list[str]) -> None:
    assert budget_codes(device(sms=sms), megakernel(), budget) == found


def test_c24_the_hungriest_role_sets_what_a_joint_launch_may_hold() -> None:
    assert [occupancy(H100, launch(threads, 224)).ctas_per_sm for threads in (128, 256, 384)] == [2, 1, 0]
    assert cta_register_limit(H100, 384) == 168
    assert occupancy(H100, launch(384, 168)).ctas_per_sm == 1


def test_c26_roles_share_the_registers_of_the_launch() -> None:
    def split(math_registers: int) -> Contract:
        copy = {"name": "copy", "threads": 128, "registers": 32}
        math = {"name": "math", "threads": 256, "registers": math_registers}
        return megakernel(launch(384, 168, roles=(copy, math)))

    def found(contract: Contract) -> list[str]:
        return [fault.rule.code for check in limit_rules.CONTRACT_CHECKS for fault in check(contract)]

    legal = split(232)
    assert register_limit(H100, 384) == 168
    assert limit_rules.role_register_limit(legal.launch, legal.launch.roles[1]) == 232
    assert (found(legal), found(split(240)), found(split(236))) == ([], ["LIM-05"], ["LIM-03"])


@pytest.mark.parametrize("sizes", [(88, 44), (80, 52), (64, 68), (96, 36)])
def test_c29_one_group_may_take_the_rest_of_an_aligned_split(sizes: tuple[int, ...]) -> None:
    assert green_context_violations(IN_EIGHTS, sizes) == ()


@pytest.mark.parametrize(
    ("sizes", "grown"), [((60, 60, 12), "64 + 64 + 16 = 144"), ((64, 64, 16), "64 + 64 + 16 = 144"), ((88, 45), "88 + 48 = 136")]
)
def test_c29_groups_that_grow_beyond_the_device_are_refused(sizes: tuple[int, ...], grown: str) -> None:
    (violation,) = green_context_violations(IN_EIGHTS, sizes)
    assert violation.rule.code == "PAR-02"
    assert f"{grown} of 132 SMs" in violation.because


def test_c29_a_device_without_partition_rules_is_asked_not_guessed() -> None:
    assert codes(green_context_violations(device(), (88, 44))) == ["PAR-01"]


def test_c29_a_plain_budget_needs_no_alignment() -> None:
    assert partition_violations(device(), ((megakernel(), 87), (megakernel(), 45))) == ()


@pytest.mark.parametrize(("sizes_sms", "found"), [(None, ["PAR-03"]), ((8, 16), ["PAR-03"]), ((64,), [])])
def test_c30_an_aligned_size_is_feasible_only_where_a_probe_found_it(sizes_sms: tuple[int, ...] | None, found: list[str]) -> None:
    probed = device(sms=128, partition={"unit_sms": 8, "minimum_sms": 8, "sizes_sms": sizes_sms})
    violations = green_context_violations(probed, (64, 64))
    assert codes(violations) == found
    assert all("unknown, needs a probe" in violation.because for violation in violations)


def test_c31_partitions_made_separately_are_no_split() -> None:
    chip = device(sms=142, partition={"unit_sms": 2, "minimum_sms": 2, "sizes_sms": (22, 120)})
    together = megakernel(partition={"mechanism": "green_context", "same_split": True})
    apart = megakernel(partition={"mechanism": "green_context"})
    assert partition_violations(chip, ((together, 22), (together, 120))) == ()
    assert codes(partition_violations(chip, ((apart, 22), (apart, 120)))) == ["PAR-04", "PAR-04"]


def test_c33_percentages_are_limits_and_their_rounding_is_shown() -> None:
    limited = megakernel(partition={"mechanism": "mps", "percentage": 60})
    (violation,) = partition_violations(device(), ((limited, 79), (limited, 79)))
    assert violation.rule.code == "PAR-06"
    assert "60 % of 132 SMs = 79.2, rounded down to 79" in violation.because
    assert [mps_sms(device(), percentage) for percentage in (33, 67)] == [43, 88]
