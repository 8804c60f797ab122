"""The trace in Perfetto's own trace processor, where that program is at hand."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from pathlib import Path

import pytest

from megasolve.report.trace.chrome import chrome_trace
from megasolve.solver.timeline.drawn import timeline
from megasolve.solver.timeline.timeline import DrawnTimeline
from tests.support.planning.studies import nh_tts_with_later_chunks

PROCESSOR = shutil.which("trace_processor_shell") or shutil.which("trace_processor")
# Also in CI: nothing that pip or apt installs has it, and the package perfetto fetches it from a store of its own when it is first used.
pytestmark = pytest.mark.skipif(
    PROCESSOR is None,
    reason="needs trace_processor_shell of Perfetto on PATH; the package perfetto only fetches it, from a store of its own",
)


def test_perfetto_loads_every_slice_without_an_error_and_they_sum_to_the_schedule(tmp_path: Path) -> None:
    shown = timeline(nh_tts_with_later_chunks(), "m:P/m:B+L/m:C@dynamic:88/44", batch=32)
    assert isinstance(shown, DrawnTimeline)
    file, query = tmp_path / "trace.json", tmp_path / "query.sql"
    file.write_text("".join(chrome_trace([shown.chart], {})), encoding="utf-8")
    query.write_text(
        "select (select count(*) from slice) as slices, (select sum(dur) from slice) as ns,"
        " (select count(*) from flow) as flows, (select count(*) from stats where severity = 'error' and value > 0) as errors;",
        encoding="utf-8",
    )
    done = subprocess.run([str(PROCESSOR), "-q", str(query), str(file)], check=True, capture_output=True, text=True)
    (row,) = csv.DictReader(io.StringIO(done.stdout.strip()))
    spans = [span for track in shown.chart.tracks for span in track.spans]
    assert row == {
        # Instants are slices that take no time.
        "slices": str(len(spans) + len(shown.chart.marks)),
        "ns": str(sum(round(span.end_ps / 1000) - round(span.start_ps / 1000) for span in spans)),
        "flows": str(len(shown.chart.arrows)),
        "errors": "0",
    }
