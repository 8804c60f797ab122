"""From samples to a record: the time, what is known of it, and where it comes from."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from megasolve.contracts import Device, Record
from megasolve.gpu.compile.manifest import sources_sha256
from megasolve.gpu.experiments.times.measured_record import accuracy, measured_record
from megasolve.gpu.harness.counts import ON_GPU
from megasolve.gpu.harness.protocol import Samples
from megasolve.gpu.harness.results import BlockResult, Repeat
from megasolve.gpu.harness.statistics import summarize
from tests.support.kernels.streamlet import shipped
from tests.support.standin.timed import CALM, EXPERIMENT, device_facts, samples, timed, wanted_of

H200: Device = shipped().device.value


def record_of(of: Samples, *, hbm_bytes: int | None = 4096, drift: float = 0.0, **facts: Any) -> Record:
    repeat = Repeat(EXPERIMENT, 100.0, 100.0 * (1 + drift))
    result = BlockResult(device_facts(**facts), {"driver": "CUDA 13.0"}, repeat=repeat)
    wanted = wanted_of(shipped(), hbm_bytes=hbm_bytes)
    return measured_record(wanted, timed(of), result, counts=ON_GPU, device=H200, tool="megasolve 0.1.0")


def test_a_time_is_one_call_without_what_its_launches_cost_and_keeps_the_raw_samples() -> None:
    record = record_of(samples([104.0, 108.0, 106.0], empty_us=[4.0, 3.0, 5.0], calls=10))
    assert record.samples_ps == (10_000_000, 10_400_000, 10_200_000)
    assert record.time_ps == 10_200_000
    measurement = record.provenance.measurement
    assert measurement is not None
    assert measurement.raw_ps == (104_000_000, 108_000_000, 106_000_000)
    assert (measurement.overhead_ps, measurement.calls_per_sample, measurement.warmups) == (4_000_000, 10, 10)


def test_a_record_has_the_full_key_and_provenance() -> None:
    record = record_of(samples([104.0], before=replace(CALM, sm_clock_mhz=1975)))
    assert wanted_of(shipped()).is_served_by(record)
    provenance = record.provenance
    assert (provenance.kind, provenance.tool, provenance.device_sms, provenance.fake) == ("measured", "megasolve 0.1.0", 132, False)
    assert "NVIDIA H200" in provenance.source
    assert provenance.source_sha256 == sources_sha256()
    assert provenance.versions == {"driver": "CUDA 13.0"}
    measurement = provenance.measurement
    assert measurement is not None
    assert (measurement.clocks.before_mhz, measurement.clocks.after_mhz, measurement.clocks.power_mw) == (1975, 1980, 300_000)
    assert (measurement.launch.registers, measurement.launch.grid_ctas, measurement.cache) == (197, 44, "warm")


def test_what_ran_on_the_stand_in_says_so() -> None:
    record = record_of(samples([104.0]), fake=True)
    assert record.provenance.fake
    assert record.provenance.label == "simulated-hardware"


def test_a_kernel_no_longer_than_an_empty_one_has_a_time_that_claims_nothing() -> None:
    record = record_of(samples([4.0, 3.9, 4.0], empty_us=[4.0, 4.0, 4.0]), hbm_bytes=10**6)
    assert record.time_ps == 1000
    assert record.accuracy == 1
    assert record.hbm_bytes is None


def test_bytes_that_cannot_have_passed_the_memory_in_that_time_are_not_known() -> None:
    possible = H200.hbm_peak_bytes_per_s * 100 // 10**6
    assert record_of(samples([104.0]), hbm_bytes=possible).hbm_bytes == possible
    assert record_of(samples([104.0]), hbm_bytes=possible + 10**6).hbm_bytes is None
    assert record_of(samples([104.0]), hbm_bytes=None).hbm_bytes is None


def test_the_accuracy_is_the_uncertainty_of_the_median_or_the_drift_if_that_is_larger() -> None:
    steady, wild = summarize([100.0] * 9), summarize([50.0, 100.0, 150.0, 100.0, 100.0])
    assert accuracy(steady, 0.0) == 0
    assert accuracy(steady, 0.01234) == Decimal("0.0124")
    assert accuracy(wild, 0.01) == Decimal("0.5000")


def test_no_record_claims_to_be_off_by_more_than_itself() -> None:
    assert accuracy(summarize([-1.0, 0.1, 1.0]), 0.0) == 1
    assert record_of(samples([104.0, 1000.0, 4.5])).accuracy == 1
