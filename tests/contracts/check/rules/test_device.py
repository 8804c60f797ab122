"""Rules of a device, in the turns that its accepted and rejected files do not show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.disk.rule_files import DEVICE, changed, check_text, codes_of


def test_every_contradiction_of_a_device_is_reported_at_once(tmp_path: Path) -> None:
    broken = changed(
        DEVICE,
        ("threads_per_cta: 1024", "threads_per_cta: 4096"),
        ("registers_per_cta: 65536", "registers_per_cta: 131072"),
        ("hbm_sustained_bytes_per_s: 3.6e12", "hbm_sustained_bytes_per_s: 4.6e12"),
    )
    assert codes_of(check_text(tmp_path, broken)) == ["DEV-01", "DEV-01", "DEV-03"]


def test_a_register_limit_per_cta_below_that_of_the_sm_is_fine(tmp_path: Path) -> None:
    assert check_text(tmp_path, changed(DEVICE, ("registers_per_cta: 65536", "registers_per_cta: 32768"))) == []


def test_a_warp_unit_divides_the_warps_of_an_sm(tmp_path: Path) -> None:
    (finding,) = check_text(tmp_path, changed(DEVICE, ("warp_unit_per_sm: 4", "warp_unit_per_sm: 5")))
    assert finding == "DEV-04 a unit of 5 warps does not divide the 64 warps of an SM; give a divisor of 64"


def test_a_register_unit_is_counted_per_warp_not_per_thread(tmp_path: Path) -> None:
    (finding,) = check_text(tmp_path, changed(DEVICE, ("register_unit_per_warp: 256", "register_unit_per_warp: 8")))
    assert finding == "DEV-05 8 is no multiple of 32 registers, one per lane of a warp; the nearest are 32"


def test_a_source_of_a_launch_kind_covers_the_launch_costs(tmp_path: Path) -> None:
    sources = "\n  ".join(f"{line.split(':')[0]}: a table" for line in DEVICE.splitlines()[4:-3])
    listed = changed(DEVICE, ("sources: {default: invented}", f"sources:\n  {sources}\n  launch.stream: a probe"))
    assert check_text(tmp_path, listed) == []
    (finding,) = check_text(tmp_path, listed.replace("launch.stream", "launch.graph"))
    assert finding.startswith("DEV-08 'launch.graph' is no figure of this file")


def test_a_source_names_a_time_by_the_key_that_it_has_in_the_file(tmp_path: Path) -> None:
    text = changed(DEVICE, ("sources: {default: invented}", "l2_latency_us: 0.13\nsources: {default: invented, l2_latency_us: a chase}"))
    assert check_text(tmp_path, text) == []
    (finding,) = check_text(tmp_path, text.replace("l2_latency_us: a chase", "l2_latency: a chase"))
    assert finding == "DEV-08 'l2_latency' is no figure of this file; did you mean 'l2_latency_us'?"


def test_a_time_without_a_source_is_named_by_its_key(tmp_path: Path) -> None:
    sources = "\n  ".join(f"{line.split(':')[0]}: a table" for line in DEVICE.splitlines()[4:-3])
    text = changed(DEVICE, ("sources: {default: invented}", f"l2_latency_us: 0.13\nsources:\n  {sources}\n  launch.stream: a probe"))
    (finding,) = check_text(tmp_path, text)
    assert "l2_latency_us" in finding
    assert check_text(tmp_path, text + "\n  l2_latency_us: a chase\n") == []


@pytest.mark.parametrize(("sizes", "refused"), [("[88, 44]", 0), ("[132]", 0), ("[52, 80]", 0), ("[90]", 1), ("[4]", 1), ("[136]", 1)])
def test_a_partition_is_whole_units_or_what_such_a_one_leaves(tmp_path: Path, sizes: str, refused: int) -> None:
    partition = f"partition: {{unit_sms: 8, minimum_sms: 8, sizes_sms: {sizes}}}\nsources:"
    assert codes_of(check_text(tmp_path, changed(DEVICE, ("sources:", partition)))) == ["DEV-11"] * refused


def test_a_partition_minimum_is_whole_units(tmp_path: Path) -> None:
    (finding,) = check_text(tmp_path, changed(DEVICE, ("sources:", "partition: {unit_sms: 8, minimum_sms: 12}\nsources:")))
    assert finding == "DEV-11 a minimum of 12 SMs with a unit of 8; give a multiple of 8, at most 132"
