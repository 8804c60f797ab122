"""Which entries are resident together, for certain or by assumption; cases from the field."""

from __future__ import annotations

import pytest

from megasolve.contracts.limits.launches import launch_faults
from megasolve.contracts.limits.occupancy import occupancy
from megasolve.contracts.limits.residency import co_residency
from tests.support.planning.launches import budget_codes, device, launch, megakernel

H100 = device()


def test_c13_sms_over_cluster_size_is_not_how_many_clusters_fit() -> None:
    entry = megakernel(launch(512, 72, cluster_ctas=8))
    measured = device(clusters=({"cluster_ctas": 8, "active_clusters": 15},))
    assert [budget_codes(measured, entry, budget) for budget in (128, 120, 112)] == [["LIM-13"], [], []]
    (unknown,) = launch_faults(H100, entry, 120)
    assert "unknown, needs the device's max_active_clusters" in unknown.message


def test_c13_free_sms_that_are_too_few_hold_no_second_entry() -> None:
    entry = megakernel(launch(512, 72, cluster_ctas=8))
    assert not co_residency(
        device(clusters=({"cluster_ctas": 8, "active_clusters": 15},)), entry, 120, megakernel(launch(512, 72)), 16
    ).fits


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
