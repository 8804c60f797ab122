"""Charts of profiles: what ran on each stream, from the first kernel on."""

from __future__ import annotations

import json
from pathlib import Path

from megasolve.contracts.profiles import Execution, Format, Granularity, read_profile
from megasolve.solver.timeline.profiled import profile_chart
from megasolve.solver.timeline.timeline import Chart


def profiled(folder: Path, *events: dict[str, object]) -> Chart | None:
    trace = folder / "trace.json"
    trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}), encoding="utf-8")
    return profile_chart(read_profile(trace))


def kernel(name: str, ts: float, dur: float, stream: int) -> dict[str, object]:
    return {"ph": "X", "cat": "kernel", "name": name, "ts": ts, "dur": dur, "args": {"device": 0, "stream": stream}}


def test_each_stream_is_a_track_and_the_first_kernel_begins_at_0(tmp_path: Path) -> None:
    chart = profiled(tmp_path, kernel("a", 1000, 5, 7), kernel("b", 1002, 5, 8), kernel("c", 1006, 1, 7))
    assert chart is not None
    shown = {track.name: [(span.name, span.start_ps, span.end_ps) for span in track.spans] for track in chart.tracks}
    assert shown == {
        "device 0, stream 7": [("a", 0, 5_000_000), ("c", 6_000_000, 7_000_000)],
        "device 0, stream 8": [("b", 2_000_000, 7_000_000)],
    }


def test_a_profile_without_times_of_kernels_is_no_chart() -> None:
    assert profile_chart(Execution("sums.csv", "0" * 64, Format.NSYS_KERN_SUM, Granularity.KERNEL)) is None
