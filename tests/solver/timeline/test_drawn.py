"""Timelines: everything that runs, on tracks where it nests or follows, up to the score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise

import pytest

from megasolve.contracts import Study, load_spec
from megasolve.contracts.model.wording import counted
from megasolve.simulate import Detail, NodeKind, Objective, Score, score
from megasolve.solver import UnknownCandidate, WhyNot, solve
from megasolve.solver.timeline.drawn import timeline
from megasolve.solver.timeline.timeline import DrawnSpan, DrawnTimeline, SpanKind
from megasolve.solver.timeline.tracks import Placed, tracks_of
from tests.support.planning.studies import SPECS, nh_tts_with_later_chunks

DYNAMIC = "m:P/m:B+L/m:C@dynamic:88/44"


@cache
def study_of(name: str) -> Study:
    return nh_tts_with_later_chunks() if name == "nh_tts" else load_spec(SPECS / f"{name}.yaml")


def drawn(study: Study, name: str, *, batch: int, objective: Objective | None = None) -> DrawnTimeline:
    found = timeline(study, name, batch=batch, objective=objective)
    assert isinstance(found, DrawnTimeline)
    return found


def tasks(shown: DrawnTimeline) -> Iterator[DrawnSpan]:
    return (span for track in shown.chart.tracks for span in track.spans if span.kind is SpanKind.TASK)


def test_the_end_of_a_steady_schedule_says_how_many_scores_it_is() -> None:
    study = study_of("published/green_contexts")
    ends = {}
    for objective in Objective:
        shown = drawn(study, "c:D+P@serial", batch=12, objective=objective)
        last = max(shown.chart.marks, key=lambda mark: mark.at_ps)
        assert Fraction(last.at_ps) == shown.divisor * Fraction(shown.score_ps)
        ends[objective.value] = last.name
    assert [ends[one] for one in ("producer_step", "chunk_interval", "first_publication")] == [
        "2 producer steps",
        "2 chunk intervals",
        "publication",
    ]


@pytest.mark.parametrize("objective", Objective)
@pytest.mark.parametrize("name", ["nh_tts", "worked_example"])
def test_every_candidate_is_drawn_up_to_its_score_with_all_that_runs_in_it(name: str, objective: Objective) -> None:
    study = study_of(name)
    if objective is not Objective.FIRST_PUBLICATION and name != "nh_tts":
        return
    batch = study.spec.value.batches[0]
    (result,) = solve(study, batches=[batch], objective=objective).results
    for row in result.ranking[::7]:
        shown = drawn(study, row.id, batch=batch, objective=objective)
        end = "publication" if objective is Objective.FIRST_PUBLICATION else counted(shown.divisor, objective.value.replace("_", " "))
        (published,) = (mark.at_ps for mark in shown.chart.marks if mark.name == end)
        assert Fraction(published) / shown.divisor == shown.score_ps == row.score_ps
        scored = score(row.composed.composition, objective, detail=Detail.FULL)
        assert isinstance(scored, Score)
        assert scored.outcome is not None
        ran = zip(scored.graph.nodes, scored.outcome.start, scored.outcome.finish, strict=True)
        assert sum(span.lasts_ps for span in tasks(shown)) == sum(
            Fraction(end) - Fraction(start) for node, start, end in ran if node.kind is not NodeKind.DISPATCH
        )


@pytest.mark.parametrize("objective", Objective)
def test_spans_of_a_track_nest_or_follow_each_other(objective: Objective) -> None:
    study = study_of("nh_tts")
    (result,) = solve(study, batches=[32], objective=objective).results
    for row in result.ranking[::5]:
        for track in drawn(study, row.id, batch=32, objective=objective).chart.tracks:
            open_ends: list[int | Fraction] = []
            for span in track.spans:
                open_ends = [end for end in open_ends if end > span.start_ps]
                assert all(span.end_ps <= end for end in open_ends), (row.id, track.name, span)
                open_ends.append(span.end_ps)


def test_launches_hold_their_ctas_and_the_rest_is_free() -> None:
    shown = drawn(study_of("nh_tts"), DYNAMIC, batch=32)
    (free,) = (curve.points for curve in shown.chart.curves if curve.unit == "CTAs")
    assert free[0] == (0, 132)
    assert free[-1][1] == 132
    # 88 for the producer and 44 for the consumer, which ends first.
    assert [value for _, value in free][-4:] == [44, 0, 44, 132]
    assert all(earlier[0] < later[0] for earlier, later in pairwise(free))


def test_memory_is_asked_by_what_runs_and_by_nothing_in_the_end() -> None:
    shown = drawn(study_of("nh_tts"), DYNAMIC, batch=32)
    (asked,) = (curve.points for curve in shown.chart.curves if curve.unit == "bytes/s")
    assert max(value for _, value in asked) > max(span.demand for span in tasks(shown))
    assert asked[-1][1] == 0


def test_the_first_chunk_of_a_split_waits_for_the_step_that_makes_it_ready() -> None:
    shown = drawn(study_of("nh_tts"), DYNAMIC, batch=32)
    names = [track.name for track in shown.chart.tracks]
    assert names[0] == "host"
    into_the_consumer = [arrow for arrow in shown.chart.arrows if shown.chart.tracks[arrow.target_track].name == "m:C"]
    assert into_the_consumer
    assert all(arrow.source.end_ps <= arrow.target.start_ps for arrow in shown.chart.arrows)
    assert {mark.name for mark in shown.chart.marks} == {"step h", "first chunk", "publication"}


def test_best_is_the_best_candidate_of_that_batch() -> None:
    study = study_of("nh_tts")
    for result in solve(study).results:
        assert drawn(study, "best", batch=result.batch).id == result.best[0]


def test_a_candidate_that_is_excluded_or_unknown_has_no_timeline() -> None:
    study = study_of("worked_example")
    batch = study.spec.value.batches[0]
    (result,) = solve(study, batches=[batch]).results
    assert isinstance(timeline(study, "m:nothing@serial", batch=batch), UnknownCandidate)
    for row in result.excluded[:1]:
        found = timeline(study, row.id, batch=batch)
        assert isinstance(found, WhyNot)
        assert found.causes == row.causes


def test_what_runs_at_once_in_one_pool_stands_on_lanes() -> None:
    one = DrawnSpan("a", SpanKind.TASK, 0, 10)
    spans = (one, replace(one, name="b", start_ps=5, end_ps=15), replace(one, name="c", start_ps=10, end_ps=20))
    tracks = tracks_of([Placed("m:A", span) for span in spans])
    assert [(track.name, [span.name for span in track.spans]) for track in tracks] == [("m:A", ["a", "c"]), ("m:A, lane 2", ["b"])]
