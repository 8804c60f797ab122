"""Samples as a child answers them, made up for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from megasolve.contracts import Study, key_of
from megasolve.gpu.compile.manifest import sources_sha256
from megasolve.gpu.driver import DeviceFacts, GpuState
from megasolve.gpu.harness.protocol import Samples
from megasolve.gpu.harness.request import Experiment
from megasolve.gpu.harness.results import LaunchFacts, Timed
from megasolve.simulate.plan.wanted import WantedTime

EXPERIMENT = Experiment("L", "L", 44)
CALM = GpuState(sm_clock_mhz=1980, temperature_c=40, power_mw=300_000, reasons=0, compute_processes=1)


def samples(
    raw_us: Sequence[float], *, empty_us: Sequence[float] = (4.0,), calls: int = 1, before: GpuState = CALM, after: GpuState = CALM
) -> Samples:
    """Return samples with a calm GPU *before* and *after*, unless said otherwise."""
    return Samples(tuple(raw_us), tuple(empty_us), calls, 10, before, after)


def timed(of: Samples, experiment: Experiment = EXPERIMENT) -> Timed:
    """Return an experiment with these samples."""
    launch = LaunchFacts(44, 256, 122880, cooperative=True, ctas_per_sm=1, registers=197, local_bytes=0)
    return Timed(experiment, of, 1e-7, launch, "ms_L", "0" * 64, "nvrtc 13.0", ("--std=c++17",), sources_sha256())


def device_facts(**changes: Any) -> DeviceFacts:
    """Return what a driver says of an H200, with *changes*."""
    facts: dict[str, Any] = {
        "ordinal": 0,
        "name": "NVIDIA H200",
        "uuid": "GPU-0",
        "compute_capability": "9.0",
        "memory_bytes": 141 * 10**9,
        "sms": 132,
        "ctas_per_sm": 32,
        "threads_per_sm": 2048,
        "threads_per_cta": 1024,
        "registers_per_sm": 65536,
        "registers_per_cta": 65536,
        "shared_bytes_per_sm": 233472,
        "shared_bytes_per_cta": 232448,
        "shared_reserve_bytes": 1024,
        "l2_bytes": 62914560,
        "clock_khz": 1_980_000,
        "memory_clock_khz": 2_600_000,
        "launches_cooperatively": True,
        "has_watchdog": False,
        "fake": False,
    }
    return DeviceFacts(**{**facts, **changes})


def wanted_of(study: Study, entry: str = "L", *, budget_ctas: int = 44, batch: int = 1, **known: Any) -> WantedTime:
    """Return a wanted time of the first member of *entry*."""
    contract = next(document.value for document in study.contracts if document.value.entry == entry)
    shapes = next(group.shapes for group in study.spec.value.groups if group.name == contract.members[0])
    return WantedTime(key_of(study, contract, contract.members[0], budget_ctas=budget_ctas, batch=batch, shapes=shapes), **known)
