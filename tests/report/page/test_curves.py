"""Curves from batch to batch: who is best lies on the lowest line."""

from __future__ import annotations

from megasolve.contracts import load_spec
from megasolve.report.page.curves import BOTTOM, LEFT, RIGHT, TOP, curves_view
from megasolve.solver import solve
from tests.support.planning.studies import SPECS

RESULTS = solve(load_spec(SPECS / "nh_tts.yaml")).results


def test_every_batch_is_a_column_and_its_best_design_lies_at_the_bottom() -> None:
    view = curves_view(RESULTS)
    assert view is not None
    assert [tick.words for tick in view.columns] == ["batch 1", "batch 32", "batch 64"]
    for tick, result in zip(view.columns, RESULTS, strict=True):
        lowest = {line.id for line in view.lines if (tick.x, BOTTOM) in line.points}
        assert result.best[0] in lowest


def test_points_stand_inside_and_where_the_scores_say() -> None:
    view = curves_view(RESULTS)
    assert view is not None
    for line in view.lines:
        for (x, y), tick in zip(line.points, view.columns, strict=False):
            assert LEFT <= x <= RIGHT
            assert TOP <= y <= BOTTOM
            assert x in {column.x for column in view.columns}, tick
    assert view.rows[0].words == "best"


def test_one_batch_is_no_curve() -> None:
    assert curves_view(RESULTS[:1]) is None
