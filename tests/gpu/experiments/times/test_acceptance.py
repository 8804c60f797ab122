"""Acceptance of samples: each rule by itself, with the figures that it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from megasolve.gpu.driver import ClockReason, GpuState
from megasolve.gpu.harness.acceptance import DEVICE_LIMITS, refusals, verdicts
from megasolve.gpu.harness.results import Repeat
from tests.support.standin.timed import CALM, EXPERIMENT, samples, timed

STEADY = [100.0, 101.0, 99.0, 100.0, 100.5]
KEPT = Repeat(EXPERIMENT, 100.0, 101.0)


def broken(*, repeat: Repeat = KEPT, raw_us: Sequence[float] = STEADY, before: GpuState = CALM, after: GpuState = CALM) -> list[str]:
    return [str(verdict) for verdict in refusals(timed(samples(raw_us, before=before, after=after)), repeat, DEVICE_LIMITS)]


def test_calm_samples_break_no_rule() -> None:
    assert broken() == []
    assert [verdict.rule for verdict in verdicts(timed(samples(STEADY)), KEPT, DEVICE_LIMITS)] == [
        "scatter",
        "clock",
        "throttle",
        "company",
        "drift",
    ]


def test_samples_that_scatter_are_refused_with_their_range() -> None:
    (text,) = broken(raw_us=[90.0, 95.0, 100.0, 105.0, 110.0])
    assert text == "scatter: samples scatter by 10.0% (interquartile range over median), allowed is 5%"


def test_a_clock_that_moved_is_refused_with_both_readings() -> None:
    (text,) = broken(after=replace(CALM, sm_clock_mhz=1900))
    assert text == "clock: 1980 MHz before and 1900 MHz after, allowed are 2%"
    assert broken(after=replace(CALM, sm_clock_mhz=1950)) == []


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_clock_that_is_held_back_is_refused_with_the_reasons(side: str) -> None:
    hot = replace(CALM, reasons=int(ClockReason.SOFTWARE_THERMAL | ClockReason.SOFTWARE_POWER_CAP | ClockReason.GPU_IDLE))
    (text,) = broken(before=hot) if side == "before" else broken(after=hot)
    assert text == "throttle: clocks are held back by software_power_cap, software_thermal; cool the GPU or raise its limits"


def test_another_process_on_the_gpu_is_refused() -> None:
    (text,) = broken(before=replace(CALM, compute_processes=3))
    assert text == "company: 2 other processes use the GPU; stop them (nvidia-smi lists them)"


def test_a_first_time_that_drifts_refuses_its_whole_block() -> None:
    (text,) = broken(repeat=Repeat(EXPERIMENT, 100.0, 103.0))
    assert text == "drift: L in 'L' on 44 CTAs took 100.000 us first and 103.000 us at the end, 3.0% apart, allowed are 2%"


def test_what_nothing_tells_is_not_held_against_samples_and_named() -> None:
    unknown = GpuState(unavailable="NVML: not here")
    found = verdicts(timed(samples(STEADY, before=unknown, after=unknown)), None, DEVICE_LIMITS)
    assert {verdict.rule: verdict.is_met for verdict in found} == {
        "scatter": True,
        "clock": None,
        "throttle": None,
        "company": None,
        "drift": None,
    }
    assert "NVML: not here" in str(found[1])
