"""Sweeps over batches: where the winner changes, what a megakernel saves and costs, and which category that makes."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given

from megasolve.contracts import PS_PER_US, Study, UnknownBatch
from megasolve.simulate import Effects, Objective
from megasolve.solver import BatchSweep, Derivation, How, RegionSaving, sweep_batches
from tests.support.planning.chains import chain_study
from tests.support.planning.fusions import Times, fusion
from tests.support.planning.random_studies import studies

FUSED, PLAIN = "m:B@serial", "c:B@serial"


def swept(study: Study, objective: Objective = Objective.FIRST_PUBLICATION, **how: Any) -> BatchSweep:
    """Return the sweep of *study* over all its batches."""
    (one,) = sweep_batches(study, [objective], How(Derivation(), Effects()), **how).batches
    return one


def test_the_winner_changes_between_the_two_batches_that_bracket_it() -> None:
    # 100 + 8 against 100 + 10 at 4, and 120 + 8 against 110 + 10 at 8: nothing is said of 5, 6 and 7.
    found = swept(fusion({1: (90, 91), 4: (100, 100), 8: (120, 110), 16: (150, 120)}))
    assert [result.best for result in found.results] == [(PLAIN,), (PLAIN,), (FUSED,), (FUSED,)]
    assert [(one.last, one.first, one.before, one.after) for one in found.changes] == [(4, 8, (PLAIN,), (FUSED,))]


def test_a_tie_is_no_change_for_a_design_that_stays_best() -> None:
    found = swept(fusion({1: (90, 100), 2: (102, 100), 4: (110, 100)}))
    assert [result.best for result in found.results] == [(PLAIN,), (PLAIN, FUSED), (FUSED,)]
    assert found.changes == ()


def test_batches_are_swept_in_order_whatever_the_order_that_is_asked_for() -> None:
    study = fusion({1: (90, 91), 4: (100, 100), 8: (120, 110)})
    assert [result.batch for result in swept(study, batches=[8, 1]).results] == [1, 8]
    with pytest.raises(UnknownBatch):
        swept(study, batches=[2])


def test_savings_and_fixed_costs_of_a_recorded_megakernel_are_those_by_hand() -> None:
    (one,) = swept(fusion({4: (100, 95)})).savings
    assert one.saving is not None
    # Launches of the graph: 2 + 1 + 10 x 0.5. Its call is 5 longer. The megakernel costs 10 to launch.
    assert dict(one.saving.parts) == {"launches": 8 * PS_PER_US, "service": 5 * PS_PER_US, "overlap": 0, "contention": 0}
    assert (one.saving.saving_ps, one.saving.fixed_ps, one.saving.difference_ps) == (13 * PS_PER_US, 10 * PS_PER_US, 3 * PS_PER_US)
    assert one.pays


CATEGORIES: dict[str, Times] = {
    "stable": {1: (100, 50), 8: (200, 100), 64: (400, 200)},
    "receding": {1: (100, 50), 8: (200, 150), 64: (400, 450)},
    "advancing": {1: (100, 110), 8: (200, 190), 64: (400, 200)},
    "averse": {1: (100, 110), 8: (200, 220), 64: (400, 440)},
}


@pytest.mark.parametrize("name", CATEGORIES)
def test_every_category_comes_of_a_small_spec(name: str) -> None:
    category = swept(fusion(CATEGORIES[name])).category
    assert category.name == name
    assert [one.batch for one in category.extents] == [1, 8, 64]
    assert category.lasting == (("m:B",) if name == "stable" else ())


def test_a_stable_model_spends_most_of_its_path_in_what_pays_everywhere() -> None:
    category = swept(fusion(CATEGORIES["stable"])).category
    assert [one.share for one in category.extents] == [Fraction(50, 60), Fraction(100, 110), Fraction(200, 210)]


def test_what_pays_only_in_the_middle_is_said() -> None:
    category = swept(fusion({1: (100, 110), 8: (200, 100), 64: (400, 440)})).category
    assert category.name == "averse"
    assert category.because == "megakernels do not pay at batch 1 and do not pay at batch 64, but they do at 8"


def test_a_tie_with_no_megakernel_does_not_pay() -> None:
    category = swept(fusion({1: (102, 100), 8: (200, 100)})).category
    assert category.name == "advancing"


def test_one_batch_makes_no_category() -> None:
    category = swept(fusion({4: (100, 95)})).category
    assert (category.name, category.because) == (None, "a category needs two batches")


def test_without_evidence_of_one_side_there_is_neither_a_saving_nor_a_category() -> None:
    study = fusion({1: (100, 50), 8: (200, 100)}, constraints={"conventional": ["B"]})
    found = swept(study)
    assert found.category.name is None
    assert found.category.because == "no design with megakernels can be ranked at batch 1"
    assert [(one.saving, one.because) for one in found.savings] == [(None, "no design with it can be ranked")] * 2


@given(studies())
def test_saving_less_fixed_is_exactly_the_difference_of_the_two_scores(study: Study) -> None:
    for one in swept(study).savings:
        assert_exact(study, one)


@given(studies())
def test_so_it_is_for_a_steady_objective(study: Study) -> None:
    for one in swept(study, Objective.PRODUCER_STEP).savings:
        assert_exact(study, one)


def test_in_a_space_that_is_searched_the_megakernels_of_the_winner_are_compared_all_the_same() -> None:
    study = chain_study(Random(3), 9, 2)
    found = swept(study)
    (plan,) = found.results
    assert plan.searched is not None
    winning = {str(region) for region in plan.ranking[0].candidate.cover.regions if region.is_megakernel}
    known = [one for one in found.savings if one.region in winning]
    assert len(known) == len(winning) > 3
    for one in known:
        assert one.saving is not None
        assert one.saving.pays
        assert_exact(study, one)
    (extent,) = found.category.extents
    assert extent.plain is not None
    assert not any(region.is_megakernel for region in extent.plain.candidate.cover.regions)


def assert_exact(study: Study, one: RegionSaving) -> None:
    """Check the sums of a saving against the scores of its designs."""
    if one.saving is None:
        assert one.because
        return
    saving = one.saving
    total = sum((Fraction(ps) for _, ps in saving.parts), Fraction(0)) - Fraction(saving.fixed_ps)
    assert total == Fraction(saving.without_ps) - Fraction(saving.with_ps)
    assert one.region in saving.with_id
    assert one.region not in saving.without_id
    assert len(study.contracts) > 1
