"""What Nsight Systems says of its own failure is passed on, and nothing else of what its diagnostics may hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts.profiles import ProfileRefused
from tests.support.profiles.nsys import Export

UNSUPPORTED = "Installed CUDA driver version (13.1) is not supported by this build of Nsight Systems"
DRIVER = f"{UNSUPPORTED}. CUDA trace will be collected using libraries for driver version 12.8"
SECRET = "Loaded CUPTI library: /home/ada/s3cret/libcupti.so.12.8"
NO_CUDA = "No CUDA events collected. Does the process use CUDA?"


def recording(*said: tuple[int, str]) -> Export:
    export = Export()
    export.row("OSRT_API", start=1, end=2)
    for severity, text in said:
        export.row("DIAGNOSTIC_EVENT", timestamp=1, severity=severity, text=text, globalPid=1)
    return export


def refusal(export: Export, folder: Path) -> str:
    with pytest.raises(ProfileRefused) as caught:
        export.read(folder)
    assert "\n" not in caught.value.reason
    return caught.value.reason


def test_a_driver_that_nsys_does_not_support_is_named_with_the_codes_and_the_way_out(tmp_path: Path) -> None:
    failed = [
        (3, "ActivityFlushAll returned 2: CUPTI_ERROR_INVALID_DEVICE"),
        (3, "ActivityFlushAll returned 15: CUPTI_ERROR_NOT_INITIALIZED"),
    ]
    reason = refusal(recording((1, SECRET), (2, DRIVER), *failed, (2, NO_CUDA)), tmp_path)
    assert reason.endswith(
        f"the recording says why: '{UNSUPPORTED}', "
        "CUPTI_ERROR_INVALID_DEVICE, CUPTI_ERROR_NOT_INITIALIZED; record with a newer Nsight Systems"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("GPU Metrics: insufficient privilege, see ERR_NVGPUCTRPERM", "ERR_NVGPUCTRPERM; let the driver permit it"),
        ("x: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES; let the driver permit it"),
        ("x: CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED", "CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED; record outside of WSL"),
        ("x: CUPTI_ERROR_UNKNOWN", "CUPTI_ERROR_UNKNOWN; record with a newer Nsight Systems"),
        (
            "CUDA profiling might have not been started correctly.",
            "'CUDA profiling might have not been started correctly'; record it again",
        ),
        ("incomplete CUPTI events dropped: 1200", "1,200 CUPTI events dropped; record it again"),
    ],
)
def test_known_codes_and_sentences_are_passed_on_with_what_helps(tmp_path: Path, text: str, said: str) -> None:
    assert f"the recording says why: {said}" in refusal(recording((3, text)), tmp_path)


def test_no_other_word_of_a_diagnostic_is_passed_on(tmp_path: Path) -> None:
    reason = refusal(recording((3, f"{SECRET} \x1b[31m CUPTI_ERROR_INVALID_DEVICE{'X' * 90}"), (3, SECRET), (1, SECRET)), tmp_path)
    assert "s3cret" not in reason
    assert "\x1b" not in reason
    assert reason.endswith("the recording has 2 errors of its own in table DIAGNOSTIC_EVENT: read them there")


def test_a_program_that_used_no_cuda_is_not_to_be_traced_for_cuda_again(tmp_path: Path) -> None:
    reason = refusal(recording((2, NO_CUDA)), tmp_path)
    assert reason.endswith("the recording says that CUDA was traced and no process used it: record the process that computes")


def test_launches_without_kernels_were_not_delivered(tmp_path: Path) -> None:
    export = recording()
    for number, name in enumerate(("cudaLaunchKernel_v7000", "cuLaunchKernelEx", "cudaDeviceSynchronize_v3020", "cudaLaunchHostFunc")):
        export.call(name, number, number + 1, number)
    reason = refusal(export, tmp_path)
    assert "there are only CUDA calls and calls of OS libraries; 2 launches were traced" in reason
    assert "but the activities of the device were not delivered, as happens under WSL" in reason
    assert "--trace" not in reason


def test_launches_that_failed_ran_nothing(tmp_path: Path) -> None:
    export = recording()
    export.call("cudaLaunchKernel_v7000", 1, 2, 1, returned=209)
    assert refusal(export, tmp_path).endswith("1 launch failed, so no kernel ran: mend the program first")


def test_calls_that_launch_nothing_are_of_another_part_of_the_program(tmp_path: Path) -> None:
    export = recording()
    export.call("cudaMalloc_v3020", 1, 2, 1)
    assert refusal(export, tmp_path).endswith(
        "CUDA was traced, and no call launches a kernel: record the part of the program that computes"
    )


def test_an_export_with_kernels_notes_that_some_may_be_missing(tmp_path: Path) -> None:
    export = recording((2, DRIVER), (2, "Not all CUDA events might have been collected."), (2, NO_CUDA), (3, SECRET))
    export.kernel("gemm", 10, 20)
    (note,) = (note for note in export.read(tmp_path).notes if "recording" in note)
    assert note == (
        f"kernels may be missing, as the recording says: '{UNSUPPORTED}', "
        "'Not all CUDA events might have been collected'; record with a newer Nsight Systems"
    )


@pytest.mark.parametrize("cells", [{"text": None}, {"text": 7}, {"text": b"\xff"}, {"severity": "Error"}, {}])
def test_a_table_of_diagnostics_without_text_says_nothing(tmp_path: Path, cells: dict[str, object]) -> None:
    export = recording()
    export.row("DIAGNOSTIC_EVENT", timestamp=1, **cells)
    assert refusal(export, tmp_path).endswith("record with --trace=cuda,nvtx and export all tables")
