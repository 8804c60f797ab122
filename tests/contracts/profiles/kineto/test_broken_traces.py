from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from megasolve.contracts.profiles import ProfileRefused
from megasolve.contracts.profiles.kineto.trace import read_kineto
from megasolve.contracts.profiles.text.source import source
from tests.support.profiles.kineto_traces import (
    annotation,
    call,
    event,
    kernel,
    launched,
    noted,
    read_trace,
    refusal,
    trace_text,
    written,
)


def refused_text(folder: Path, text: str | bytes) -> str:
    with pytest.raises(ProfileRefused) as caught:
        read_kineto(source(written(folder, text)))
    return caught.value.reason


@pytest.mark.parametrize(
    ("name", "broken_at"),
    [('{"device": "cpu"}(12): k', "device"), ("C:\\path", "\\p"), ("line\nbreak", "\n"), ("bell\x07", "\x07")],
)
def test_pitfall_13_invalid_json_is_refused_at_its_byte_and_recovered_on_request(tmp_path: Path, name: str, broken_at: str) -> None:
    text = trace_text(*launched("a", 1, 1), kernel("BAD", 20), kernel("b", 30)).replace("BAD", name)
    path = written(tmp_path, text)

    reason = refused_text(tmp_path, text)
    recovered = read_kineto(source(path), recover=True)

    at = text.index(name) + name.index(broken_at)
    assert f"malformed JSON at byte {at:,}" in reason
    assert "--recover" in reason
    kept = [one.shape.name for one in recovered.kernels]
    assert kept in (["a", "b"], ["a", name, "b"])
    assert recovered.dropped.get("broken events", 0) == 3 - len(kept)


def test_pitfall_13_recovery_also_skips_events_whose_values_cannot_be_used(tmp_path: Path) -> None:
    execution = read_trace(tmp_path, kernel("a", 10), kernel("b", 20, -3), kernel("c", 30, "1,5"), recover=True)

    assert [one.shape.name for one in execution.kernels] == ["a"]
    assert execution.dropped == {"broken events": 2}
    assert noted(execution, "recovered: 2 broken events were lost")


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "inf"])
def test_pitfall_13_what_is_no_number_is_refused(tmp_path: Path, constant: str) -> None:
    text = trace_text(kernel("k", 10, f"#{constant}#"))

    assert "malformed JSON at byte" in refused_text(tmp_path, text)


def test_pitfall_14_a_text_that_breaks_off_is_truncated_wherever_it_does(tmp_path: Path) -> None:
    text = trace_text(*launched("a", 1, 1), *launched("b", 20, 2))
    for length in range(1, len(text), 37):
        assert f"is truncated: it ends after {length:,} bytes" in refused_text(tmp_path, text[:length])


def test_pitfall_14_a_text_that_breaks_off_before_its_first_event_is_truncated(tmp_path: Path) -> None:
    for text in ('{"traceEvents": [', '{"traceEvents": [ \n', "["):
        assert f"is truncated: it ends after {len(text)} bytes" in refused_text(tmp_path, text)
        with pytest.raises(ProfileRefused, match="holds no kernels among 0 events"):
            read_kineto(source(written(tmp_path, text)), recover=True)


def test_pitfall_14_a_gzip_file_without_its_trailer_is_truncated(tmp_path: Path) -> None:
    zipped = gzip.compress(trace_text(*launched("a", 1, 1)).encode())

    assert "truncated gzip" in refused_text(tmp_path, zipped[:-4])


def test_pitfall_14_recovery_keeps_what_a_truncated_gzip_still_holds(tmp_path: Path) -> None:
    kernels = [kernel(f"k{number}", 10 * number, correlation=number) for number in range(1, 200)]
    zipped = gzip.compress(trace_text(*kernels).encode())
    path = written(tmp_path, zipped[: len(zipped) * 2 // 3])

    execution = read_kineto(source(path), recover=True)

    assert [one.shape.name for one in execution.kernels] == [f"k{number}" for number in range(1, len(execution.kernels) + 1)]
    assert len(execution.kernels) > 50
    assert noted(execution, "breaks off")


def test_pitfall_14_events_of_two_processes_are_refused_even_when_the_file_parses(tmp_path: Path) -> None:
    other = call("cudaLaunchKernel", 2, 7, process=200), kernel("b", 30, correlation=7)

    reason = refusal(tmp_path, *launched("a", 1, 1), *other)

    assert "was spliced from two traces: event 3 at byte" in reason
    assert "is of process 200, event 1 of process 100" in reason


def test_pitfall_14_recovery_never_mixes_two_processes(tmp_path: Path) -> None:
    with pytest.raises(ProfileRefused, match="spliced"):
        read_trace(tmp_path, *launched("a", 1, 1), call("cudaLaunchKernel", 2, 7, process=200), recover=True)


def test_pitfall_14_equal_processes_of_two_containers_are_told_by_equal_correlations(tmp_path: Path) -> None:
    reason = refusal(tmp_path, *launched("a", 1, 1), *launched("b", 500, 1))

    assert "event 3 at byte" in reason
    assert "has the correlation 1 of event 1, a call at another time" in reason


def test_pitfall_14_a_driver_call_inside_its_runtime_call_may_share_the_correlation(tmp_path: Path) -> None:
    nested = {**call("cuLaunchKernel", 2, 1, dur=3), "cat": "cuda_driver"}

    (one,) = read_trace(tmp_path, annotation("s", 0, 50), call("cudaLaunchKernel", 1, 1, dur=9), nested, kernel("k", 20)).kernels

    assert [span.name for span in one.ranges] == ["s"]


@pytest.mark.parametrize("key", ["baseTimeNanoseconds", "traceName", "distributedInfo", "traceEvents"])
def test_pitfall_14_what_names_a_trace_must_not_stand_in_it_twice(tmp_path: Path, key: str) -> None:
    text = trace_text(kernel(), baseTimeNanoseconds=1, distributedInfo={"rank": 0})[:-1] + f', "{key}": []}}'

    assert f"was spliced from two traces: {key} stands in it twice" in refused_text(tmp_path, text)


def test_pitfall_14_a_kernel_far_outside_the_recorded_window_is_of_another_trace(tmp_path: Path) -> None:
    window = event("Trace", "PyTorch Profiler (0)", 0, 1000, process="Spans", thread="PyTorch Profiler")

    assert "event 3 is a kernel 2,000,000.000 us outside the window" in refusal(tmp_path, window, kernel("a", 10), kernel("b", 2_001_000))


def test_pitfall_14_interleaved_writes_of_two_ranks_are_recognized_behind_the_broken_byte(tmp_path: Path) -> None:
    other = trace_text(*(made for number in range(9) for made in launched("b", 5 * number, 50 + number))).replace(
        '"pid": 100', '"pid": 200'
    )
    text = trace_text(*(made for number in range(9) for made in launched("a", 5 * number, 1 + number)))
    middle = len(text) // 2

    reason = refused_text(tmp_path, text[:middle] + other[middle + 50 :])

    assert reason.startswith("is malformed JSON at byte ")
    assert "it was spliced from two traces: event" in reason
    assert "is of process 200, event 1 of process 100" in reason


def test_pitfall_14_two_traces_one_after_the_other_are_recognized(tmp_path: Path) -> None:
    text = trace_text(*launched("a", 1, 1))

    reason = refused_text(tmp_path, text + text)

    assert f"malformed JSON at byte {len(text):,}: the text goes on after the end" in reason
    second = len(text) + text.index('"traceEvents"')
    assert f"a second traceEvents stands at byte {second:,}" in reason


@pytest.mark.parametrize(
    ("reason", "category"),
    [
        ("it is of the CPU alone", "cpu_op"),
        ("it is of an MTIA accelerator", "mtia_ccp_events"),
        ("it is of the CUPTI range profiler", "cuda_profiler_range"),
        ("it is a trace, but of no GPU that PyTorch's profiler knows", "tpu"),
    ],
)
def test_pitfall_30_a_trace_without_kernels_is_refused_for_what_it_is(tmp_path: Path, reason: str, category: str) -> None:
    assert f"holds no kernels among 1 event: {reason}" in refusal(tmp_path, event(category, "k", 1, 5))


def test_pitfall_30_what_is_no_trace_is_refused(tmp_path: Path) -> None:
    assert "its traceEvents are empty" in refused_text(tmp_path, trace_text())
    assert "has no traceEvents" in refused_text(tmp_path, '{"schemaVersion": 1}')
    assert refused_text(tmp_path, "") == "is empty"
