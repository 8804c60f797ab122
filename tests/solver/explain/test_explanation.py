"""Explanations: a path that sums to the score, who waits, what to cut first, and nearest names."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from megasolve.contracts import PS_PER_MS, PS_PER_US, Study, load_spec
from megasolve.simulate import Objective, Score, critical_path, score
from megasolve.solver import Explanation, UnknownBatch, UnknownCandidate, WhyNot, explain, solve
from tests.support.planning.answers import explained, first, scores_ms
from tests.support.planning.studies import SPECS, conventional, group, megakernel, nh_tts_with_later_chunks, record, spec, stepped, study

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
    assert found.place is not None
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


def talker(with_megakernel: bool) -> Study:
    """3.36 s of audio in one go: talker, code predictor, codec and the rest."""
    kernels = [conventional("T"), conventional("Q"), conventional("C")]
    known = [record(kernel, name, ms * 1000) for kernel, name, ms in zip(kernels, "TQC", (814, 2377, 157), strict=True)]
    if with_megakernel:
        trunk = megakernel("T", host_us=0)
        kernels, known = [*kernels, trunk], [*known, record(trunk, "T", 165_000)]
    groups = [group("T", "producer"), group("Q", "producer"), group("C", "consumer")]
    return study(spec(groups, stream={"first_chunk": 1}), kernels, known)


def test_c45_a_megakernel_for_the_smaller_stage_improves_the_whole_only_a_little() -> None:
    scores = scores_ms(first(talker(with_megakernel=True)))
    assert scores["c:T/c:Q/c:C@serial"] == 3348
    assert scores["m:T/c:Q/c:C@serial"] == 2699
    assert round(float(scores["m:T/c:Q/c:C@serial"] / 3360), 3) == 0.803


def test_c45_the_group_to_cut_first_is_the_largest() -> None:
    before = explained(talker(with_megakernel=False), "c:T/c:Q/c:C@serial").largest_group
    after = explained(talker(with_megakernel=True), "m:T/c:Q/c:C@serial").largest_group
    assert (before.group, round(float(before.share), 2)) == ("Q", 0.71)
    assert (after.group, after.given_ps) == ("Q", 2377 * PS_PER_MS)


def test_c54_a_vocoder_that_holds_the_request_is_named_and_the_producer_has_slack() -> None:
    stage, vocoder = megakernel("B", budgets=(132, 88), host_us=0), megakernel("C", budgets=(132, 44), host_us=0)
    asked = stepped(stage, vocoder, 700_000, 6_800_000, {"first_chunk": 1, "lookahead": 1})
    found = explained(asked, "m:B/m:C@dynamic:88/44")
    assert found.row.score_ps == 7_500 * PS_PER_MS
    assert found.branches is not None
    assert (found.branches.bound_by, found.branches.slack_ps) == ("consumer", 6_100 * PS_PER_MS)
    assert found.largest_group.group == "C"


def test_c54_a_faster_producer_beside_the_vocoder_changes_nothing() -> None:
    stage, vocoder = megakernel("B", budgets=(132, 88), host_us=0), megakernel("C", budgets=(132, 44), host_us=0)
    asked = stepped(stage, vocoder, 700_000, 6_800_000, {"first_chunk": 1, "lookahead": 1})
    (document,) = asked.records
    faster = tuple(
        one.model_copy(update={"duration_ps": one.time_ps // 7}) if one.budget_ctas == 88 else one for one in document.value.records
    )
    quick = replace(asked, records=(replace(document, value=document.value.model_copy(update={"records": faster})),))
    name = "m:B/m:C@dynamic:88/44"
    assert scores_ms(first(quick))[name] == scores_ms(first(asked))[name]


def test_c72_each_group_is_reported_as_predicted_and_as_given() -> None:
    asked = load_spec(SPECS / "worked_example.yaml")
    found = explained(asked, "m:P/m:B+L/m:C@serial")
    predicted = {segment.label: segment.elapsed_ps for segment in found.segments if not segment.label.startswith("dispatch")}
    assert predicted == {one.group: one.given_ps for one in found.groups}
    assert sum(predicted.values()) + 3 * 100 * PS_PER_US == found.row.score_ps


def test_c72_parts_that_are_off_in_opposite_directions_do_not_hide_in_the_total() -> None:
    right, wrong = ({one.group: one.given_ps for one in explained(parts(*us), "c:P/c:B@serial").groups} for us in ((58, 35), (7, 86)))
    assert sum(right.values()) == sum(wrong.values())
    assert all(right[name] != wrong[name] for name in "PB")


def parts(prefill_us: int, step_us: int) -> Study:
    prefill, step = conventional("P"), conventional("B")
    groups = [group("P", "admission"), group("B", "producer")]
    known = [record(prefill, "P", prefill_us), record(step, "B", step_us)]
    return study(spec(groups, publication={"group": "B", "step": 1}), [prefill, step], known)
