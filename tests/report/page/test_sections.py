"""What a page says beyond the plan: what would change the answer, what megakernels save, what else could be built, and tiles."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

import pytest

from megasolve.report.page.page import report_page
from megasolve.report.page.robust import robust_view
from megasolve.report.page.view import StudyView, study_view
from megasolve.solver.explain.explanation import judge_of
from megasolve.solver.reported.reported import MOST_TILES, MOST_TOGETHER, Reported, ReportWishes, reported
from megasolve.solver.select.selection import rank
from megasolve.solver.timeline.tiles import shown_tiles
from tests.support.planning.shown import receding, tiled, with_assumed_layer


@cache
def of_receding() -> Reported:
    return reported(receding())


@cache
def of_assumed() -> Reported:
    return reported(with_assumed_layer())


def shown(known: Reported) -> StudyView:
    return study_view(known, "s")


def test_where_the_best_changes_is_said_and_shaded_between_the_two_batches() -> None:
    curves = shown(of_receding()).curves
    assert curves is not None
    (one,) = curves.crossings
    assert one.words == "Between batch 8 and 64 the best changes from m:B@serial to c:B@serial."
    assert [one.left, one.right] == [tick.x for tick in curves.columns if tick.words in {"batch 8", "batch 64"}]


def test_savings_stand_against_fixed_costs_with_the_numbers_of_the_sweep() -> None:
    known, view = of_receding(), shown(of_receding()).savings
    assert view is not None
    assert known.sweep is not None
    (plot,) = view.plots
    found = [one.saving for one in known.sweep.savings if one.saving is not None]
    assert [Fraction(row.saving) * 10**6 for row in plot.rows] == [one.saving_ps for one in found]
    assert [Fraction(row.difference) * 10**6 for row in plot.rows] == [one.difference_ps for one in found]
    assert [row.pays for row in plot.rows] == ["yes", "yes", "no"]
    # Higher up is more: where it pays the saving lies above the fixed cost.
    assert [one[1] < other[1] for one, other in zip(plot.saving, plot.fixed, strict=True)] == [True, True, False]
    assert view.category[0].startswith("megakernel-receding")


def test_what_would_change_the_answer_has_the_flips_in_order_and_stands_on_the_first_screen() -> None:
    (batch, *_) = shown(of_receding()).batches
    beyond = of_receding().batches[0].beyond
    assert beyond is not None
    assert batch.robust is not None
    every = list(beyond.robust.every_flip)
    assert [row.time for row in batch.robust.rows] == [one.time.name for one in every]
    page = report_page([of_receding()], "1")
    assert page.index(batch.robust.nearest) < page.index("What runs when")


def test_the_range_in_which_nothing_changes_holds_what_a_time_is() -> None:
    beyond = of_assumed().batches[0].beyond
    assert beyond is not None
    for row in robust_view(beyond.robust).rows:
        assert 0 <= row.left <= 50 <= row.left + row.width <= 100


def test_what_is_assumed_has_a_colour_of_its_own_and_a_place_in_the_build_order() -> None:
    (batch,) = shown(of_assumed()).batches
    assert batch.headroom is not None
    assert batch.headroom.answer[0].startswith("Today first publication takes 313.000 µs")
    assert [(step.at_most, step.added, step.score) for step in batch.headroom.order] == [(0, "", "313.000 µs"), (1, "layer", "275.000 µs")]
    assert '<span class="kind assumed">assumed</span>' in report_page([of_assumed()], "1")


def test_regions_that_could_be_built_have_floor_break_even_and_verdict() -> None:
    (batch,) = shown(of_assumed()).batches
    assert batch.headroom is not None
    (row, *_) = batch.headroom.rows
    assert (row.region, row.is_assumed, row.today, row.pays) == ("m:attn+mlp", True, "313.000 µs", "308.000 µs")
    assert row.kernels_width + row.gaps_width == pytest.approx(100)


def test_tiles_of_the_winner_are_drawn_worker_by_worker_with_queue_and_waits() -> None:
    (batch,) = shown(reported(tiled(), wishes=ReportWishes(is_quick=True))).batches
    (tiles,) = batch.tiles
    (chart,) = tiles.charts
    assert [name for name, _ in tiles.legend] == ["gemm", "norm"]
    assert [track.name for track in chart.tracks] == ["worker 0", "worker 1", "worker 2", "worker 3"]
    assert [curve.name for curve in chart.curves] == [
        "ready tiles without a worker",
        "workers that wait for a load",
        "loads in the memory queue",
    ]
    assert sum(span.words == "gemm" for track in chart.tracks for span in track.spans) == 8


def test_of_a_program_with_too_many_tiles_the_first_ones_are_drawn_and_that_is_said() -> None:
    known = reported(tiled(repeat=2_000), wishes=ReportWishes(is_quick=True))
    (chart,) = known.batches[0].tiles
    assert chart.title.endswith("the first 11,997 of 18,000 tiles")
    assert sum(span.kind.value == "task" for track in chart.tracks for span in track.spans) == 11_997


def test_tiles_of_many_batches_share_the_room_of_a_page() -> None:
    judge = judge_of(tiled(repeat=2_000))
    best = rank(judge).ranking[0]
    (chart,), hidden = shown_tiles(judge.evidence, best, most=MOST_TILES, together=MOST_TOGETHER // 20)
    assert chart.title.endswith("the first 2,997 of 18,000 tiles")
    assert hidden == ()
    (title,) = shown_tiles(judge.evidence, best, most=MOST_TILES, together=5)[1]
    assert title.endswith(": 18,000 tiles")


def test_whoever_watches_hears_what_is_looked_at() -> None:
    said: list[str] = []
    found = reported(receding(), wishes=ReportWishes(progress=said.append))
    batches = [one.batch for one in found.result.results]
    each = [(f"how far times of batch {one} may be off", f"what else could be built for batch {one}") for one in batches]
    beyond = [line for pair in each for line in pair]
    assert said == [*(f"batch {one}" for one in batches), *beyond, "how the plan changes from batch to batch"]


def test_a_quick_page_leaves_out_what_asks_the_plan_again() -> None:
    page = report_page([reported(receding(), wishes=ReportWishes(is_quick=True))], "1")
    assert "What would change the answer" not in page
    assert "What else could be built" not in page
    assert re.search("Between batch .* and .* the best changes", page) is None
    assert "From batch to batch" in page
