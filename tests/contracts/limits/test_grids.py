"""Grids against the device on which they run: budgets, clusters, cooperative launches; cases from the field."""

from __future__ import annotations

import pytest

from megasolve.contracts.limits.launches import launch_faults
from tests.support.planning.launches import budget_codes, device, launch, megakernel

H100 = device()


@pytest.mark.parametrize(("sms", "legal"), [(132, [96, 72]), (78, [72])])
def test_c09_a_cooperative_grid_must_fit_the_sms_of_this_device(sms: int, legal: list[int]) -> None:
    entry = megakernel(launch(960, 64, cooperative=True))
    assert [288 // groups for groups in (2, 3, 4) if budget_codes(device(sms=sms), entry, 288 // groups) == []] == legal


@pytest.mark.parametrize(("sms", "found"), [(132, []), (114, ["LIM-12"]), (78, ["LIM-12"])])
def test_c10_the_sm_count_belongs_to_the_device_not_to_the_architecture(sms: int, found: list[str]) -> None:
    assert budget_codes(device(sms=sms, compute_capability="9.0"), megakernel(), 132) == found


def test_c10_the_message_names_the_largest_grid() -> None:
    (fault,) = launch_faults(device(name="h20", sms=78), megakernel(), 132)
    assert fault.message.startswith("budget of 132 CTAs > 1 per SM x 78 SMs = 78 on h20; the largest legal grid is 78 CTAs")


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
    too_large, too_many = launch_faults(clustered, entry, budget)
    assert "66 clusters x 4 = 264 CTAs > 1 per SM x 132 SMs = 132" in too_large.message
    assert "66 clusters of 4 > 32 co-resident" in too_many.message


def test_c14_an_oversize_grid_is_refused_and_never_clamped() -> None:
    (fault,) = launch_faults(H100, megakernel(launch(cooperative=True)), 216)
    assert fault.rule.code == "LIM-12"
    assert "the largest legal grid is 132 CTAs, a budget with records of its own" in fault.message


@pytest.mark.parametrize(("sms", "budget", "found"), [(304, 240 + 64, []), (256, 240 + 64, ["LIM-12"]), (256, 240 + 8, [])])
def test_c23_a_geometry_copied_from_a_larger_chip_does_not_fit(sms: int, budget: int, found: list[str]) -> None:
    assert budget_codes(device(sms=sms), megakernel(), budget) == found
