"""Charts of tiles: every worker's time, and how many ready tiles wait for one."""

from __future__ import annotations

from itertools import pairwise

from megasolve.simulate.tiles.outcome import TileSchedule
from megasolve.simulate.tiles.program import TileProgram, TileSection
from megasolve.simulate.tiles.scheduler import schedule_tiles
from megasolve.simulate.tiles.tile import Tile
from megasolve.solver.timeline.tiles import chart_of
from megasolve.solver.timeline.timeline import SpanKind
from tests.support.simulation.tile_charts import MACHINE, PROGRAM


def test_each_worker_has_a_track_on_which_tiles_follow_each_other() -> None:
    chart = chart_of("tiles", PROGRAM, MACHINE)
    assert [track.name for track in chart.tracks] == ["worker 0", "worker 1"]
    for track in chart.tracks:
        assert all(one.end_ps <= other.start_ps for one, other in pairwise(track.spans))


def test_the_spans_sum_to_what_the_schedule_says() -> None:
    chart, schedule = chart_of("tiles", PROGRAM, MACHINE), schedule_tiles(PROGRAM, MACHINE)
    assert isinstance(schedule, TileSchedule)
    spans = [span for track in chart.tracks for span in track.spans]
    assert sum(span.lasts_ps for span in spans if span.kind is SpanKind.TASK) == schedule.busy_ps == 700
    assert sum(span.lasts_ps for span in spans if span.kind is SpanKind.WAIT) == schedule.loading_ps
    assert [span.name for span in spans if span.kind is SpanKind.TASK].count("norm") == 2
    assert chart.end_ps == schedule.makespan_ps


def test_ready_tiles_without_a_worker_are_counted() -> None:
    curve, *_ = chart_of("tiles", PROGRAM, MACHINE).curves
    # Nothing ties the repeats: of their six first tiles two start at once, and four wait for a worker.
    assert curve.points[0] == (0, 4)
    assert curve.points[-1][1] == 0
    assert min(value for _, value in curve.points) == 0


def test_workers_that_wait_for_a_load_are_counted_until_none_does() -> None:
    _, curve, _ = chart_of("tiles", PROGRAM, MACHINE).curves
    assert curve.points[0] == (0, 2)
    assert curve.points[-1][1] == 0
    assert max(value for _, value in curve.points) == MACHINE.workers


def test_loads_stand_in_the_memory_queue_for_as_long_as_the_schedule_says() -> None:
    *_, curve = chart_of("tiles", PROGRAM, MACHINE).curves
    schedule = schedule_tiles(PROGRAM, MACHINE)
    assert isinstance(schedule, TileSchedule)
    assert curve.name == "loads in the memory queue"
    assert sum(value * (after - at) for (at, value), (after, _) in pairwise(curve.points)) == schedule.queued_ps > 0


def test_an_operator_that_cannot_be_cut_is_drawn_on_every_worker() -> None:
    whole = Tile("attention", compute_ps=70, is_opaque=True)
    program = TileProgram(body=TileSection([whole]), repeats=1)
    chart, schedule = chart_of("tiles", program, MACHINE), schedule_tiles(program, MACHINE)
    assert isinstance(schedule, TileSchedule)
    assert [span.name for track in chart.tracks for span in track.spans] == ["attention", "attention"]
    assert sum(span.lasts_ps for track in chart.tracks for span in track.spans) == schedule.busy_ps


def test_the_first_tiles_can_be_shown_alone() -> None:
    chart = chart_of("tiles", PROGRAM, MACHINE, tiles=4)
    names = [span.name for track in chart.tracks for span in track.spans if span.kind is SpanKind.TASK]
    assert sorted(names) == ["gemm", "gemm", "gemm", "norm"]
