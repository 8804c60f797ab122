"""The Chrome trace: what Perfetto and chrome://tracing ask of a file, checked strictly."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from megasolve.contracts.profiles import read_profile
from megasolve.report.trace.chrome import chrome_trace
from megasolve.simulate.tiles.outcome import TileSchedule
from megasolve.simulate.tiles.scheduler import schedule_tiles
from megasolve.solver.timeline.drawn import timeline
from megasolve.solver.timeline.profiled import profile_chart
from megasolve.solver.timeline.tiles import chart_of
from megasolve.solver.timeline.timeline import Chart, DrawnSpan, DrawnTimeline, Mark, SpanKind, Track
from tests.support.judges.chrome_trace import faults
from tests.support.planning.studies import nh_tts_with_later_chunks
from tests.support.profiles.step_traces import trace
from tests.support.simulation.tile_charts import MACHINE, PROGRAM

IDS = ("best", "m:P/m:B+L/m:C@dynamic:88/44", "m:P+B+L+C@fixed:88/44")
NASTY = "a\x1b[31m\u202eb</script>\n" + "x" * 4000


@cache
def traced() -> dict[str, Any]:
    study = nh_tts_with_later_chunks()
    shown = [timeline(study, name, batch=32) for name in IDS]
    found: dict[str, Any] = json.loads(
        "".join(chrome_trace([one.chart for one in shown if isinstance(one, DrawnTimeline)], {"spec": "nh_tts"}))
    )
    return found


def events(phase: str) -> list[dict[str, Any]]:
    return [event for event in traced()["traceEvents"] if event["ph"] == phase]


def test_each_candidate_is_a_process_with_its_id() -> None:
    names = {event["pid"]: event["args"]["name"] for event in events("M") if event["name"] == "process_name"}
    assert len(names) == len(IDS)
    assert names[2] == f"{IDS[1]}, batch 32"


def test_schedules_of_candidates_pass_the_strict_judge() -> None:
    assert events("s")
    assert faults(traced()) == []


def test_tiles_pass_the_strict_judge_and_sum_to_what_the_schedule_says() -> None:
    chart = chart_of("tiles", PROGRAM, MACHINE)
    trace = json.loads("".join(chrome_trace([chart], {})))
    assert faults(trace) == []
    schedule = schedule_tiles(PROGRAM, MACHINE)
    assert isinstance(schedule, TileSchedule)
    spent = Counter[str]()
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            spent[event["cat"]] += event["args"]["duration_ps"]
    assert spent == {"task": schedule.busy_ps, "wait": schedule.loading_ps}


def test_a_profile_passes_the_strict_judge(tmp_path: Path) -> None:
    chart = profile_chart(read_profile(trace(tmp_path, steps=4)))
    assert chart is not None
    assert faults(json.loads("".join(chrome_trace([chart], {})))) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda event: event["ph"] == "f" and {**event, "id": 10**6}, "has one end"),
        (lambda event: event["ph"] == "s" and {**event, "ts": 10**9}, "is bound to no slice"),
        (lambda event: event["ph"] == "X" and event["cat"] == "task" and {**event, "dur": event["dur"] + 10**6}, "partly overlaps"),
        (lambda event: event["ph"] == "X" and {**event, "ts": event["ts"] + 0.001}, "drawn elsewhere"),
        (lambda event: event["ph"] == "C" and {**event, "args": {"CTAs": "many"}}, "has no number"),
        (lambda event: event["name"] == "thread_name" and {**event, "tid": 99}, "has not one name"),
        (lambda event: event["ph"] == "i" and {**event, "name": "a\x1bb"}, "nobody sees"),
    ],
)
def test_the_strict_judge_finds_what_is_wrong(change: Callable[[dict[str, Any]], dict[str, Any] | bool], fault: str) -> None:
    known = traced()["traceEvents"]
    place, changed = next((place, found) for place, event in enumerate(known) if isinstance(found := change(event), dict))
    assert any(fault in one for one in faults({"traceEvents": [*known[:place], changed, *known[place + 1 :]]}))


def test_counters_have_one_value_at_a_time_and_end_where_nothing_runs() -> None:
    for process in range(1, len(IDS) + 1):
        for name, last in (("free CTAs", 132), ("HBM demand", 0)):
            points = [event for event in events("C") if event["pid"] == process and event["name"] == name]
            assert [*points[-1]["args"].values()] == [last]


def test_exact_times_stand_in_the_arguments_and_sum_to_the_schedule() -> None:
    study = nh_tts_with_later_chunks()
    shown = timeline(study, IDS[1], batch=32)
    assert isinstance(shown, DrawnTimeline)
    exact = [event["args"]["duration_ps"] for event in events("X") if event["pid"] == 2]
    whole = [value for value in exact if isinstance(value, int)]
    ratios = [value for value in exact if isinstance(value, str)]
    assert sum(whole) == sum(span.lasts_ps for track in shown.chart.tracks for span in track.spans if isinstance(span.lasts_ps, int))
    assert all("/" in value for value in ratios)


@pytest.mark.parametrize("name", [NASTY, "##[error]", "\u0000"])
def test_no_name_breaks_the_file_or_a_terminal(name: str) -> None:
    span = DrawnSpan(name, SpanKind.TASK, 0, 1, groups=((name, 1),))
    one = Chart(name, (Track(name, (span,)),), marks=(Mark(name, 1),))
    text = "".join(chrome_trace([one], {"spec": name}))
    assert json.loads(text)["traceEvents"]
    assert all(char.isprintable() or char == "\n" for char in text)
