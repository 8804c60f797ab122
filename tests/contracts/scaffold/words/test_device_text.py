"""A device file out of a profile: what it says of its GPU, and what it leaves open, marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts import check_paths
from megasolve.contracts.profiles.execution import ObservedDevice, ObservedLimits
from megasolve.contracts.scaffold.words.device_text import drafted_device

WAVES = ObservedLimits("9.0", 64, None, 2048, 1024, 65536, 65536, 65536, 65536, None, 68702699520)
WARPS = ObservedLimits("8.6", 32, 16, 1536, 1024, 65536, 65536, 102400, 101376, 5242880, 10736893952, 760080000000)


@pytest.mark.parametrize(
    "observed",
    [
        ObservedDevice(0, "AMD Instinct MI210", 104, None, WAVES),
        ObservedDevice(0, "NVIDIA GeForce RTX 3080", 68, "8.6", WARPS),
        ObservedDevice(0, None, 304, None, WAVES),
        ObservedDevice(0, "Some GPU", 80),
    ],
)
def test_it_passes_its_check(tmp_path: Path, observed: ObservedDevice) -> None:
    drafted = drafted_device(observed, "run.json")
    assert drafted is not None
    (tmp_path / "device.yaml").write_text(drafted[1])
    assert check_paths([tmp_path / "device.yaml"]).findings == ()


def test_what_the_profile_does_not_say_is_marked_open() -> None:
    drafted = drafted_device(ObservedDevice(0, "NVIDIA GeForce RTX 3080", 68, "8.6", WARPS), "run.sqlite")
    assert drafted is not None
    device, _ = drafted
    assert (device.name, device.sms, device.hbm_peak_bytes_per_s, device.shared_reserve_bytes) == (
        "nvidia_geforce_rtx_3080",
        68,
        760080000000,
        1024,
    )
    opened = {key for key, source in device.sources.items() if source.startswith("OPEN")}
    assert {"register_unit_per_warp", "hbm_sustained_bytes_per_s"} <= opened
    assert not opened & {"sms", "hbm_peak_bytes_per_s", "threads_per_sm", "l2_bytes"}


def test_a_memory_of_unknown_speed_makes_no_floor_too_high() -> None:
    drafted = drafted_device(ObservedDevice(0, "AMD Instinct MI210", 104, None, WAVES), "run.json")
    assert drafted is not None
    assert drafted[0].hbm_peak_bytes_per_s == 2 * 10**13


def test_without_the_number_of_its_sms_there_is_none() -> None:
    assert drafted_device(ObservedDevice(0, "NVIDIA Something"), "run.csv") is None
    assert drafted_device(None, "run.csv") is None
