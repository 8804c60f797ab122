"""From samples to a record: what was measured, with everything that it was measured under."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from decimal import ROUND_CEILING, Decimal

from megasolve.contracts import PS_PER_SECOND, Device, Measurement, Provenance, Record
from megasolve.simulate.plan.wanted import WantedTime

from ...harness.counts import Counts
from ...harness.files.figures import decimal_us, exact_us, relative, whole_ps
from ...harness.results import BlockResult, Timed
from ...harness.statistics import SampleSummary, summarize

# A kernel that takes no longer than an empty one: what it takes is too short to tell, but no record can say nothing.
_SHORTEST_PS = 1000


def measured_record(wanted: WantedTime, timed: Timed, result: BlockResult, *, counts: Counts, device: Device, tool: str) -> Record:
    """Return the record of *wanted*.

    Its bytes are those that the contract's program moves; where they could not pass the memory of *device* in the measured time, because
    the caches served them, they are not known.

    Parameters
    ----------
    tool
        The name and version of this program.
    """
    samples_ps = tuple(max(whole_ps(sample), _SHORTEST_PS) for sample in timed.samples.call_us)
    median_ps = sorted(samples_ps)[(len(samples_ps) - 1) // 2]
    hbm_bytes, repeat = wanted.hbm_bytes, result.repeat_of(timed.experiment)
    # Whole picoseconds, rounded up, that the bytes need at the peak rate of the memory.
    is_possible = hbm_bytes is not None and -(-hbm_bytes * PS_PER_SECOND // device.hbm_peak_bytes_per_s) <= median_ps
    return Record.model_validate(
        {
            **wanted.key.record_fields,
            "samples_us": tuple(map(decimal_us, samples_ps)),
            **({"hbm_bytes": hbm_bytes} if is_possible else {}),
            "accuracy": accuracy(summarize(timed.samples.call_us), repeat.drift if repeat else 0.0),
            "provenance": _provenance(timed, result, counts, tool, has_bytes=is_possible),
        },
        by_alias=True,
        by_name=False,
    )


def accuracy(call: SampleSummary, drift: float) -> Decimal:
    """Return how far the time may be off by what its samples show, relative: the uncertainty of the median, or the drift if larger."""
    # Rounded up: a record claims no more than its samples show.
    return Decimal(min(max(call.uncertainty, drift), 1.0)).quantize(Decimal("0.0001"), ROUND_CEILING)


def _provenance(timed: Timed, result: BlockResult, counts: Counts, tool: str, *, has_bytes: bool) -> Provenance:
    values = {
        "kind": "measured",
        "source": f"megasolve measure on {result.device.name}{', bytes by the program of the contract' if has_bytes else ''}",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "tool": tool,
        "device_sms": result.device.sms,
        "versions": dict(result.versions),
        "source_sha256": timed.source_sha256,
        "measurement": _measurement(timed, counts),
        **({"fake": True} if result.device.fake else {}),
    }
    return Provenance.model_validate(values)


def _measurement(timed: Timed, counts: Counts) -> Measurement:
    samples, launch = timed.samples, timed.launch
    call = summarize(samples.call_us)
    values = {
        "cache": counts.cache,
        "warmups": samples.warmups,
        "calls_per_sample": samples.calls,
        "raw_us": tuple(decimal_us(max(whole_ps(raw), 1)) for raw in samples.raw_us),
        "overhead_us": exact_us(samples.overhead_us),
        # A call may come out shorter than its empty twin, but no interval reaches below 0.
        "interval_us": (exact_us(max(call.low, 0.0)), exact_us(max(call.high, 0.0))),
        "spread": relative(summarize(samples.raw_us).spread),
        "relative_l2": relative(timed.relative_l2),
        "launch": {
            "symbol": timed.symbol,
            "grid_ctas": launch.grid_ctas,
            "threads": launch.block_threads,
            "shared_bytes": launch.shared_bytes,
            "cooperative": launch.cooperative,
            "ctas_per_sm": launch.ctas_per_sm,
            "registers": launch.registers,
            "local_bytes": launch.local_bytes,
        },
        "clocks": _clocks(timed),
        "cubin_sha256": timed.cubin_sha256,
        "options": timed.options,
    }
    return Measurement.model_validate(values, by_alias=True, by_name=False)


def _clocks(timed: Timed) -> Mapping[str, int]:
    before, after = timed.samples.before, timed.samples.after
    known = {
        "before_mhz": before.sm_clock_mhz,
        "after_mhz": after.sm_clock_mhz,
        "temperature_c": after.temperature_c,
        "power_mw": after.power_mw,
    }
    return {name: value for name, value in known.items() if value is not None}
