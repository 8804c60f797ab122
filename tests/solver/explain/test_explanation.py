"""Explanations: a path that sums to the score, who waits, what to cut first, and nearest names."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

from megasolve.contracts import Study, load_spec
from megasolve.simulate import Objective, Score, critical_path, score
from megasolve.solver import Explanation, UnknownBatch, UnknownCandidate, WhyNot, explain, solve
from tests.support.planning.answers import explained
from tests.support.planning.studies import SPECS, nh_tts_with_later_chunks

THREE = "m:P/m:B+L/m:C"


@cache
def study_of(name: str) -> Study:
    return nh_tts_with_later_chunks() if name == "nh_tts" else load_spec(SPECS / f"{name}.yaml")


def of_nh_tts(candidate: str, batch: int = 32, objective: Objective | None = None) -> Explanation:
    return explained(study_of("nh_tts"), candidate, batch=batch, objective=objective)


@pytest.mark.parametrize("objective", Objective)
@pytest.mark.parametrize("batch", [1, 32, 64])
def test_the_segments_of_each_ranked_candidate_sum_exactly_to_its_score(batch: int, objective: Objective) -> None:
    (result,) = solve(study_of("nh_tts"), batches=[batch], objective=objective).results
    assert len(result.ranking) == 81
    for row in result.ranking:
        found = score(row.composed.composition, objective)
        assert isinstance(found, Score)
        assert sum(segment.elapsed_ps for segment in critical_path(found)) == row.score_ps


def test_the_segments_name_groups_and_launches_in_order() -> None:
    labels = [segment.label for segment in of_nh_tts(f"{THREE}@serial").segments]
    assert labels == ["dispatch of m:P", "P", "dispatch of m:B+L", "B", "L", "dispatch of m:C", "C"]


def test_time_lost_to_the_neighbour_is_a_segment_of_its_own() -> None:
    path = of_nh_tts("m:P+B+L/m:C@dynamic:88/44").segments
    lost = [segment for segment in path if segment.is_contention]
    assert [segment.label for segment in lost] == ["B slowed by memory traffic beside it"]
    assert all(segment.elapsed_ps > 0 for segment in lost)


def test_the_winner_says_its_place_and_which_branch_waits() -> None:
    found = of_nh_tts(f"{THREE}@dynamic:88/44")
    assert (found.place, found.of) == (1, 81)
    assert found.difference == 0
    assert found.branches is not None
    assert found.branches.bound_by == "producer"
    assert found.branches.horizon_ps == found.row.score_ps
    assert found.branches.slack_ps == found.branches.horizon_ps - found.branches.chunk_ps > 0


def test_another_candidate_says_how_much_slower_it_is() -> None:
    found = of_nh_tts(f"{THREE}@serial", 64)
    assert found.difference == Fraction(found.row.score_ps) / 54_500_000_000 - 1
    assert found.place > 1


def test_candidates_of_equal_score_share_a_place() -> None:
    study = study_of("equal_partitions")
    places = set()
    for candidate in solve(study).results[0].best:
        found = explain(study, candidate)
        assert isinstance(found, Explanation)
        places.add(found.place)
    assert places == {1}


def test_steady_objectives_have_no_publication_to_branch_for() -> None:
    assert of_nh_tts(f"{THREE}@serial", objective=Objective.CHUNK_INTERVAL).branches is None


def test_each_record_in_use_comes_with_its_provenance_and_its_place() -> None:
    found = of_nh_tts(f"{THREE}@dynamic:88/44")
    used = [(usage.need.group.name, usage.need.budget_ctas, usage.calls) for usage in found.usages]
    assert used == [("P", 132, 1), ("B", 132, 7), ("B", 88, 1), ("L", 132, 56), ("L", 88, 8), ("C", 44, 2)]
    assert {usage.use.record.provenance.kind for usage in found.usages} == {"reconstructed"}
    assert all(usage.use.place.file.endswith("records/batch_32.yaml") for usage in found.usages)


def test_the_largest_group_is_the_one_that_a_first_cut_should_target() -> None:
    found = of_nh_tts("c:P/c:B/c:L/c:C@serial")
    assert found.largest_group.group == "B"
    assert found.largest_group.given_ps == 8 * 11_250_000_000
    assert sum(group.share for group in found.groups) == 1


def test_an_excluded_candidate_gives_every_cause() -> None:
    found = explain(study_of("worked_example"), "c:P/c:B/m:L/m:C@serial")
    assert isinstance(found, WhyNot)
    assert [cause.rule.code for cause in found.causes] == ["MEM-02", "MEM-02", "MEM-01"]


def test_an_unknown_id_names_the_nearest_ones() -> None:
    found = explain(study_of("nh_tts"), f"{THREE}@dynamic:88/45", batch=32)
    assert isinstance(found, UnknownCandidate)
    assert found.nearest[0] == f"{THREE}@dynamic:88/44"


def test_a_spec_with_several_batches_wants_one_named() -> None:
    with pytest.raises(UnknownBatch, match="batches 1, 32, 64: say which"):
        explain(study_of("nh_tts"), f"{THREE}@serial")


def test_a_spec_with_one_batch_needs_none_named() -> None:
    found = explain(study_of("worked_example"), f"{THREE}@serial")
    assert isinstance(found, Explanation)
    assert found.batch == 32
