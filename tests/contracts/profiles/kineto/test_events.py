"""Events of a trace that cannot be read are refused with their place, and digits are kept; a case from the field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from megasolve.contracts.profiles import ProfileRefused
from tests.support.profiles.kineto_traces import Event, kernel, read_trace


def refusal(folder: Path, second: Event) -> str:
    with pytest.raises(ProfileRefused) as caught:
        read_trace(folder, kernel("a", 10), second)
    return caught.value.reason


def without(event: Event, *keys: str) -> Event:
    return {key: value for key, value in event.items() if key not in keys}


def test_c58_a_timestamp_that_is_text_keeps_its_digits(tmp_path: Path) -> None:
    (one,) = read_trace(tmp_path, kernel("k", "1747101234567890.125", "0.250")).kernels

    assert (one.start_ps, one.duration_ps) == (1747101234567890_125_000, 250_000)


@pytest.mark.parametrize("ts", ["1747101234567890,125", "1.747.101", "", "nan", "12 us", None, True, [1]])
def test_c58_a_timestamp_of_another_form_is_refused_with_its_event(tmp_path: Path, ts: object) -> None:
    reason = refusal(tmp_path, kernel("b", ts))

    assert reason.startswith("event 2 at byte ")
    assert " has a ts that cannot be read: " in reason


@pytest.mark.parametrize("dur", ["1,5", "1e400", False, "9" * 65])
def test_c58_a_duration_of_another_form_is_refused_with_its_event(tmp_path: Path, dur: object) -> None:
    assert " has a dur that cannot be read: " in refusal(tmp_path, kernel("b", 20, dur))


def test_c58_a_negative_duration_is_refused_with_its_event(tmp_path: Path) -> None:
    reason = refusal(tmp_path, kernel("b", 20, -3))

    assert reason.startswith("event 2 at byte ")
    assert reason.endswith(" lasts -3 us: a negative duration is no measurement")


@pytest.mark.parametrize(
    ("second", "what"),
    [
        (without(kernel("b", 20), "dur"), "has no dur"),
        (without(kernel("b", 20), "ts"), "has no ts"),
        (without(kernel("b", 20), "name"), "has no name"),
        (kernel("b", 20, grid=[1, 2]), "has the grid [1, 2], not three positive numbers"),
        (kernel("b", 20, block=["x", 1, 1]), "has the block ['x', 1, 1], not three positive numbers"),
    ],
)
def test_c58_a_kernel_of_which_something_is_missing_is_refused_with_its_event(tmp_path: Path, second: Event, what: str) -> None:
    reason = refusal(tmp_path, second)

    assert reason.startswith("event 2 at byte ")
    assert reason.endswith(what)


def test_c58_an_element_that_is_no_event_is_refused(tmp_path: Path) -> None:
    no_event: Any = 17
    with pytest.raises(ProfileRefused, match=r"event 1 at byte \d+ is no object"):
        read_trace(tmp_path, no_event)
