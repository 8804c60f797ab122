"""SM partitions: what a device can split itself into, and what a percentage means."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megasolve.contracts.check.rules import partition as partition_rules
from megasolve.contracts.limits.launches import launch_faults
from megasolve.contracts.limits.partitions import green_context_faults, mps_sms, pair_faults, partition_faults
from megasolve.contracts.model.contract import Contract
from tests.support.planning.launches import budget_codes, codes, device, launch, limit_faults, megakernel

EIGHTS = tuple(range(8, 132, 8))
H100 = device(partition={"unit_sms": 8, "minimum_sms": 8, "sizes_sms": EIGHTS})


def green(**fields: Any) -> Contract:
    """Return an entry that runs in a green context of one common split."""
    return megakernel(partition={"mechanism": "green_context", "same_split": True}, **fields)


def mps(percentage: int | None, **fields: Any) -> Contract:
    """Return an entry that an MPS percentage limits."""
    return megakernel(partition={"mechanism": "mps", "percentage": percentage}, **fields)


def split_codes(*sides: tuple[Contract, int]) -> list[str]:
    """Return the rule codes of what is wrong with *sides* on the device."""
    return [fault.rule.code for fault in partition_faults(H100, sides)]


def fault_codes(contract: Contract) -> list[str]:
    """Return the codes of what is wrong with *contract* without a device."""
    return [fault.rule.code for fault in limit_faults(contract)]


@given(budget=st.integers(1, 132))
def test_an_entry_that_partitions_nothing_needs_no_alignment(budget: int) -> None:
    assert split_codes((megakernel(), budget)) == []
    assert split_codes((megakernel(), budget), (megakernel(), 1)) == []


@given(unit=st.sampled_from([2, 4, 8]), groups=st.integers(1, 16))
def test_an_aligned_group_and_exactly_the_rest_are_a_split(unit: int, groups: int) -> None:
    size = unit * groups
    split = device(partition={"unit_sms": unit, "minimum_sms": unit, "sizes_sms": tuple(range(unit, 132, unit))})
    assert green_context_faults(split, (size, 132 - size)) == ()
    assert green_context_faults(split, (132 - size, size)) == ()


def test_a_group_that_is_not_the_rest_must_be_aligned() -> None:
    (fault,) = green_context_faults(H100, (88, 42))
    assert fault.message == (
        "partition of 88 + 42 SMs on h100: in units of 8, at least 8, it takes 88 + 48 = 136 of 132 SMs; "
        "align all groups but one, which takes exactly the rest"
    )


def test_the_whole_device_is_no_partition() -> None:
    assert split_codes((green(), 132)) == []


@pytest.mark.parametrize("size", [44, 52, 60, 88, 124])
def test_a_single_budget_is_legal_as_a_group_or_as_the_rest_beside_one(size: int) -> None:
    assert split_codes((green(), size)) == []


@pytest.mark.parametrize("size", [1, 42, 131])
def test_a_single_budget_that_no_split_contains_is_refused(size: int) -> None:
    assert split_codes((green(), size)) == ["PAR-02"]


def test_a_budget_above_the_device_is_shown_as_it_is() -> None:
    (fault,) = green_context_faults(H100, (140,))
    assert fault.message.startswith("partition of 140 SMs on h100: in units of 8, at least 8, it takes 144 of 132 SMs")


def test_a_group_below_the_minimum_is_refused() -> None:
    wide = device(partition={"unit_sms": 2, "minimum_sms": 8, "sizes_sms": (128,)})
    assert [fault.rule.code for fault in green_context_faults(wide, (4, 100))] == ["PAR-02", "PAR-03"]


def test_a_partition_is_counted_in_sms_not_in_ctas() -> None:
    assert split_codes((green(launch=launch(512, 64, ctas_per_sm=2)), 176), (green(), 44)) == []


def test_a_neighbour_outside_the_partition_runs_on_all_sms() -> None:
    assert split_codes((green(), 88), (megakernel(), 44)) == ["PAR-04"]


@given(percentage=st.integers(1, 100), sms=st.integers(1, 200))
def test_a_percentage_never_leaves_more_sms_than_its_share(percentage: int, sms: int) -> None:
    left = mps_sms(device(sms=sms), percentage)
    assert left * 100 <= sms * percentage < (left + 1) * 100


def test_a_budget_must_fit_in_the_share_and_the_rounding_is_shown() -> None:
    assert split_codes((mps(60), 79)) == []
    (fault,) = partition_faults(H100, ((mps(60), 80),))
    assert fault.rule.code == "PAR-07"
    assert fault.message == "budget of 80 CTAs needs 80 SMs > 60 % of 132 SMs = 79.2, rounded down to 79"


@pytest.mark.parametrize(
    ("policies", "codes"), [(None, []), (("serial",), []), (("serial", "fixed"), ["PAR-06"]), (("dynamic",), ["PAR-06"])]
)
def test_a_limited_entry_names_no_split_policy(policies: tuple[str, ...] | None, codes: list[str]) -> None:
    assert fault_codes(mps(50, policies=policies)) == codes


def test_a_percentage_belongs_to_mps_and_mps_has_one() -> None:
    assert fault_codes(mps(None)) == ["PAR-05"]
    assert fault_codes(megakernel(partition={"mechanism": "green_context", "same_split": True, "percentage": 50})) == ["PAR-05"]


@pytest.mark.parametrize(("policies", "codes"), [(None, []), (("serial",), []), (("fixed",), ["PAR-04"])])
def test_a_named_split_needs_one_common_split(policies: tuple[str, ...] | None, codes: list[str]) -> None:
    assert fault_codes(megakernel(partition={"mechanism": "green_context"}, policies=policies)) == codes


def test_each_budget_of_a_partition_is_reported_at_its_own_place() -> None:
    found = partition_rules.partitions_fit(green(budgets_ctas=(132, 88, 42, 1)), H100)
    assert [(fault.rule.code, fault.path) for fault in found] == [("PAR-02", ("budgets_ctas", 2)), ("PAR-02", ("budgets_ctas", 3))]


def test_missing_partition_rules_are_reported_once() -> None:
    found = partition_rules.partitions_fit(green(budgets_ctas=(132, 88)), device())
    assert [(fault.rule.code, fault.path) for fault in found] == [("PAR-01", ("partition", "mechanism"))]


def test_c16_under_mps_a_process_sees_its_share_of_the_sms() -> None:
    t4 = device(name="t4", sms=40, mps_active_thread_percentage=10)
    assert t4.usable_sms == 4
    (fault,) = launch_faults(t4, megakernel(), 40)
    assert "1 per SM x 4 SMs (MPS: 10 % of 40, rounded down) = 4" in fault.message
    assert budget_codes(t4, megakernel(), 4) == []


@pytest.mark.parametrize("sizes", [(88, 44), (80, 52), (64, 68), (96, 36)])
def test_c29_one_group_may_take_the_rest_of_an_aligned_split(sizes: tuple[int, ...]) -> None:
    assert green_context_faults(H100, sizes) == ()


@pytest.mark.parametrize(
    ("sizes", "grown"), [((60, 60, 12), "64 + 64 + 16 = 144"), ((64, 64, 16), "64 + 64 + 16 = 144"), ((88, 45), "88 + 48 = 136")]
)
def test_c29_groups_that_grow_beyond_the_device_are_refused(sizes: tuple[int, ...], grown: str) -> None:
    (fault,) = green_context_faults(H100, sizes)
    assert fault.rule.code == "PAR-02"
    assert f"{grown} of 132 SMs" in fault.message


def test_c29_a_device_without_partition_rules_is_asked_not_guessed() -> None:
    assert codes(green_context_faults(device(), (88, 44))) == ["PAR-01"]


def test_c29_a_plain_budget_needs_no_alignment() -> None:
    assert partition_faults(device(), ((megakernel(), 87), (megakernel(), 45))) == ()


@pytest.mark.parametrize(("sizes_sms", "found"), [(None, ["PAR-03"]), ((8, 16), ["PAR-03"]), ((64,), [])])
def test_c30_an_aligned_size_is_feasible_only_where_a_probe_found_it(sizes_sms: tuple[int, ...] | None, found: list[str]) -> None:
    probed = device(sms=128, partition={"unit_sms": 8, "minimum_sms": 8, "sizes_sms": sizes_sms})
    faults = green_context_faults(probed, (64, 64))
    assert codes(faults) == found
    assert all("unknown, needs a probe" in fault.message for fault in faults)


def test_c31_partitions_made_separately_are_no_split() -> None:
    chip = device(sms=142, partition={"unit_sms": 2, "minimum_sms": 2, "sizes_sms": (22, 120)})
    together = megakernel(partition={"mechanism": "green_context", "same_split": True})
    apart = megakernel(partition={"mechanism": "green_context"})
    assert partition_faults(chip, ((together, 22), (together, 120))) == ()
    assert codes(partition_faults(chip, ((apart, 22), (apart, 120)))) == ["PAR-04", "PAR-04"]


def test_c33_percentages_are_limits_and_their_rounding_is_shown() -> None:
    limited = megakernel(partition={"mechanism": "mps", "percentage": 60})
    (fault,) = partition_faults(device(), ((limited, 79), (limited, 79)))
    assert fault.rule.code == "PAR-06"
    assert "60 % of 132 SMs = 79.2, rounded down to 79" in fault.message
    assert [mps_sms(device(), percentage) for percentage in (33, 67)] == [43, 88]


@pytest.mark.parametrize(
    ("mechanism", "pair", "found"),
    [
        ("green_context", (88, 44), []),
        ("green_context", (90, 42), ["PAR-02"]),
        ("mig", (60, 64), []),
        ("mig", (64, 64), []),
        ("mig", (64, 132), ["PAR-02"]),
        ("mig", (60, 44), ["PAR-02"]),
        ("mps", (87, 44), []),
        ("mps", (88, 44), ["PAR-02"]),
        ("mps", (66, 66), []),
    ],
)
def test_a_pair_of_partitions_is_what_its_mechanism_can_give(mechanism: Any, pair: tuple[int, int], found: list[str]) -> None:
    gpu = device(partition={"unit_sms": 8, "minimum_sms": 8, "sizes_sms": EIGHTS, "mig_sizes_sms": (16, 32, 60, 64, 132)})
    assert [fault.rule.code for fault in pair_faults(gpu, mechanism, pair)] == found


def test_a_share_that_is_no_whole_percentage_names_the_nearest() -> None:
    # 66 % of 170 SMs are 112, 67 % are 113; 1 % is one SM and 2 % are 3.
    gpu = device(sms=170)
    (fault,) = pair_faults(gpu, "mps", (2, 113))
    assert fault.message == "2 SMs are no whole percentage of 170; the nearest are 1 and 3"
