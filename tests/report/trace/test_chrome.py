"""The Chrome trace: what Perfetto and chrome://tracing ask of a file, checked strictly."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

import pytest

from megasolve.report.trace.chrome import chrome_trace
from megasolve.solver.timeline.drawn import timeline
from megasolve.solver.timeline.timeline import Chart, DrawnSpan, DrawnTimeline, Mark, SpanKind, Track
from tests.support.planning.studies import nh_tts_with_later_chunks

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


def test_each_candidate_is_a_process_with_its_id_and_named_sorted_threads() -> None:
    names = {event["pid"]: event["args"]["name"] for event in events("M") if event["name"] == "process_name"}
    assert len(names) == len(IDS)
    assert names[2] == f"{IDS[1]}, batch 32"
    threads = {(event["pid"], event["tid"]): event["args"]["name"] for event in events("M") if event["name"] == "thread_name"}
    assert {(event["pid"], event["tid"]) for event in events("X")} <= set(threads)
    assert sorted(threads.values(), key=str) == [name for _, name in sorted(((k, v) for k, v in threads.items()), key=lambda one: one[1])]


def test_slices_of_a_thread_nest() -> None:
    open_ends: dict[tuple[int, int], list[float]] = {}
    for event in events("X"):
        thread = open_ends.setdefault((event["pid"], event["tid"]), [])
        thread[:] = [end for end in thread if end > event["ts"]]
        end = round(event["ts"] + event["dur"], 3)
        assert all(end <= outer for outer in thread)
        thread.append(end)


def test_times_never_go_back() -> None:
    for process in range(1, len(IDS) + 1):
        times = [event["ts"] for event in traced()["traceEvents"] if event["pid"] == process and "ts" in event]
        assert times == sorted(times)


def test_every_flow_has_both_ends_inside_slices_and_an_id_of_its_own() -> None:
    starts, ends = events("s"), events("f")
    assert starts
    assert max(Counter(event["id"] for event in starts).values()) == 1
    assert {event["id"] for event in starts} == {event["id"] for event in ends}
    slices: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for event in events("X"):
        slices.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["ts"] + event["dur"]))
    for event in (*starts, *ends):
        assert any(start <= event["ts"] < end for start, end in slices[event["pid"], event["tid"]])


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
