"""What Nsight Compute says of its failure is passed on in known words, and of anything else only the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts.profiles import ProfileRefused, read_profile
from tests.support.profiles.reports import DETAILS_HEADER, metric_row, quoted, written

CONNECTED = "==PROF== Connected to process 1 (/home/ada/s3cret/python)\n"
PERMISSION = (
    "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0. For"
    " instructions on enabling permissions and to get more information see https://developer.nvidia.com/ERR_NVGPUCTRPERM\n"
)


def reason(folder: Path, text: str) -> str:
    with pytest.raises(ProfileRefused) as caught:
        read_profile(written(folder, text))
    assert "\n" not in caught.value.reason
    return caught.value.reason


def test_a_missing_permission_is_said_with_the_way_out(tmp_path: Path) -> None:
    assert reason(tmp_path, CONNECTED + PERMISSION) == (
        "is a failed capture: it has only ==ERROR== lines of ncu and no table; ncu says 'the user does not have permission to access NVIDIA"
        " GPU Performance Counters' (ERR_NVGPUCTRPERM): run ncu as root, or let the driver permit it"
        " (NVreg_RestrictProfilingToAdminUsers=0, developer.nvidia.com/ERR_NVGPUCTRPERM)"
    )


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        (
            "==ERROR== Failed to initialize the profiler: LibraryNotLoaded. Check that a compatible driver library is loaded.",
            "'LibraryNotLoaded'",
        ),
        ("==ERROR== Profiling failed because a driver resource was unavailable. Ensure that no other tool (like DCGM)", "stop DCGM"),
        ("==ERROR== Profiling is not supported on this device", "'profiling is not supported on device'"),
        ("==ERROR== Option '--section .*' did not match any section.", "ncu --list-sections"),
        ("==ERROR== Failed to find metric regex:^flop", "ncu --query-metrics"),
        ("==ERROR== Failed to access the following 8 metrics: nvlrx__bytes.sum", "ncu --query-metrics"),
        ('==ERROR== Failed to profile "k" in process 7', "a kernel could not be profiled"),
        ("==ERROR== The application returned an error code (1).", "mend the program first"),
        ("==WARNING== No kernels were profiled.", "--target-processes all"),
        ("==PROF== Target process 7 terminated before first instrumented API call.", "it uses no CUDA"),
    ],
)
def test_what_ncu_says_in_known_words_is_passed_on(tmp_path: Path, said: str, cause: str) -> None:
    found = reason(tmp_path, f"{CONNECTED}{said}\n==PROF== Disconnected from process 1\n")
    assert found.startswith("is a failed capture")
    assert cause in found


def test_the_first_cause_goes_before_what_follows_from_it(tmp_path: Path) -> None:
    lines = "==ERROR== The application returned an error code (1).\n==WARNING== No kernels were profiled.\n"
    assert "ERR_NVGPUCTRPERM" in reason(tmp_path, lines + PERMISSION)


def test_no_unknown_word_is_passed_on(tmp_path: Path) -> None:
    found = reason(tmp_path, f"{CONNECTED}said by s3cret\n==ERROR== s3cret \x1b[31m failed\n")
    assert found.endswith("no table; why stands on line 3; mend that and run ncu again")


def test_an_error_below_the_header_is_noted_with_its_cause(tmp_path: Path) -> None:
    header, row = quoted(DETAILS_HEADER, [metric_row("Duration", "us", "2")]).splitlines(keepends=True)
    (note,) = (note for note in read_profile(written(tmp_path, header + row + PERMISSION)).notes if "error" in note)
    assert note.startswith("ncu reported 1 error below the table's header, so kernels may be missing: ncu says 'the user does not have")


def test_a_long_output_is_searched_in_one_pass(tmp_path: Path) -> None:
    assert reason(tmp_path, "==ERROR== " + "Failed to find " * 4_000 + "\n").startswith("is a failed capture")
