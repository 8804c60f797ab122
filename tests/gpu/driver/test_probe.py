from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from megasolve.gpu.driver import Context, NoGpu, differences, gpu_state, probe, serialized_by
from megasolve.gpu.standin.driver_double import StandIn
from tests.support.standin.probes import shipped_device
from tests.support.toolchain import needs_bindings, needs_no_driver, needs_stand_in


def played(**changes: Any) -> StandIn:
    return StandIn(shipped_device("h200"), **changes)


@needs_bindings
@needs_no_driver
def test_without_a_driver_one_line_says_what_is_missing_and_nothing_waits() -> None:
    start = time.monotonic()
    with pytest.raises(NoGpu) as caught:
        probe()
    assert time.monotonic() - start < 0.5
    assert str(caught.value).startswith("no NVIDIA driver: libcuda.so.1 is not found; install release 580 or newer")
    assert "\n" not in str(caught.value)


@needs_bindings
@needs_no_driver
def test_without_a_driver_a_context_says_so_too() -> None:
    with pytest.raises(NoGpu, match="no NVIDIA driver"):
        Context()


@needs_stand_in
def test_a_probe_shows_every_device_and_its_figures(tmp_path: Path) -> None:
    state = probe(played(devices=2).environment(tmp_path))
    assert state.version == 13000
    assert [facts.ordinal for facts in state.devices] == [0, 1]
    assert len({facts.uuid for facts in state.devices}) == 2
    first = state.devices[0]
    assert first.fake
    assert differences(first, shipped_device("h200")) == ()
    assert differences(first, shipped_device("h200", sms=78, l2_bytes=50 * 2**20)) == (
        "sms: 132 here, 78 in h200",
        "l2_bytes: 62,914,560 here, 52,428,800 in h200",
    )
    assert differences(first, shipped_device("a100"))[0] == "compute_capability: 9.0 here, 8.0 in a100"


@needs_stand_in
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"driver_version": 12080}, "the NVIDIA driver is for CUDA 12.8, and kernels compiled for CUDA 13.0 need release 580 or newer"),
        ({"devices": 0}, "no device is visible: check nvidia-smi, CUDA_VISIBLE_DEVICES"),
        ({"faults": ("cuDeviceGetCount crash",)}, "the NVIDIA driver does not answer (died of signal SIGSEGV"),
    ],
)
def test_a_driver_that_is_of_no_use_is_told_in_one_line(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(NoGpu) as caught:
        probe(played(**changes).environment(tmp_path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@needs_stand_in
def test_a_driver_that_never_answers_is_given_up(tmp_path: Path) -> None:
    start = time.monotonic()
    with pytest.raises(NoGpu, match=r"does not answer \(killed after 1 s\)"):
        probe(played(faults=("cuDeviceGetCount hang",)).environment(tmp_path), deadline_s=1.0)
    assert time.monotonic() - start < 10.0


@pytest.mark.parametrize("variable", ["CUDA_LAUNCH_BLOCKING", "CUDA_INJECTION64_PATH"])
def test_surroundings_that_run_kernels_one_after_the_other_are_named(variable: str) -> None:
    assert serialized_by({"HOME": "/me", "CUDA_LAUNCH_BLOCKING": "0"}) is None
    reason = serialized_by({variable: "1"})
    assert reason is not None
    assert reason.startswith(f"{variable} is set: ")


def test_a_gpu_that_nvml_does_not_know_has_no_state_and_says_why() -> None:
    state = gpu_state("GPU-00000000-0000-0000-0000-000000000000")
    assert state.unavailable
    assert state.sm_clock_mhz is None
    assert state.slowed_by == ()


def test_clock_reasons_that_slow_are_named() -> None:
    state = replace(gpu_state("GPU-00000000-0000-0000-0000-000000000000"), reasons=0x1 | 0x4 | 0x20)
    assert state.slowed_by == ("software_power_cap", "software_thermal")
