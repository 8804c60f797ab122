"""The properties of records, and of how they were measured."""

from __future__ import annotations

from megasolve.contracts import JsonObject

from .table import HASH, IGNORE, Properties

_LAUNCH: JsonObject = {
    "symbol": "stage0_loop",
    "grid_ctas": 132,
    "threads": 256,
    "shared_bytes": 122880,
    "cooperative": True,
    "ctas_per_sm": 1,
    "registers": 255,
    "local_bytes": 48,
}
_CLOCKS: JsonObject = {"before_mhz": 1785, "after_mhz": 1785, "temperature_c": 54}
_MEASUREMENT: JsonObject = {
    "cache": "warm",
    "warmups": 10,
    "calls_per_sample": 4,
    "raw_us": [412.5, 410],
    "overhead_us": 4.2,
    "interval_us": [410, 412.5],
    "spread": 0.004,
    "relative_l2": 0.002,
    "launch": _LAUNCH,
    "clocks": _CLOCKS,
    "cubin_sha256": HASH,
    "options": ["-arch=sm_90a"],
}
MEASURED_BY: JsonObject = {"kind": "measured", "source": "bench/stage0.py", "tool": "cuda events", "date": "2026-11-02"}
_RECORD: JsonObject = {
    "group": "B",
    "backend": "megakernel",
    "entries": ["stage0"],
    "budget_ctas": 88,
    "batch": 32,
    "precision": "bf16",
    "device": "h100_nvl",
    "context": {"launch": {"threads": 256}},
    "duration_us": 3130,
    "provenance": MEASURED_BY,
}


PROVENANCE: Properties = {
    "Provenance": {
        "kind": ("what kind of evidence it is", "measured"),
        "source": ("where it comes from: a file, a program, a paper", "bench/stage0.py"),
        "date": ("the day, as year-month-day", "2026-11-02"),
        "tool": ("the tool that took the time", "cuda events"),
        "device_sms": ("the SMs of the device that it ran on", 132),
        "versions": ("versions of what it depends on, by name", {"driver": "595.84"}),
        "source_sha256": ("the hash of the kernel's code", HASH),
        "profile_sha256": ("the hash of the profile that source names", HASH),
        "measurement": ("how megasolve measure took the samples", _MEASUREMENT),
        "fake": ("whether it ran on a stand-in for the hardware", False),
    },
    "Measurement": {
        "cache": ("whether caches held what the launch before left in them", "warm"),
        "warmups": ("launches before the first sample", 10),
        "calls_per_sample": ("how many calls one sample has", 4),
        "raw_us": ("the samples with their launches, in microseconds", [412.5, 410]),
        "overhead_us": ("what the same launches take with nothing to do, in microseconds", 4.2),
        "interval_us": ("where the median of a call lies with 95 % confidence, in microseconds", [410, 412.5]),
        "spread": ("the interquartile range of the samples over their median", 0.004),
        "relative_l2": ("how far the results are from the reference", 0.002),
        "launch": ("the launch that was timed", _LAUNCH),
        "clocks": ("the state of the device around the samples", _CLOCKS),
        "cubin_sha256": ("the hash of the compiled kernel", HASH),
        "options": ("the options of the compiler", ["-arch=sm_90a"]),
    },
    "MeasuredLaunch": {
        "symbol": ("the kernel", "stage0_loop"),
        "grid_ctas": ("its grid", 132),
        "threads": ("threads of a block", 256),
        "shared_bytes": ("dynamic shared memory of a block", 122880),
        "cooperative": ("whether it was launched cooperatively", True),
        "ctas_per_sm": ("blocks that fit on one SM, as the driver says", 1),
        "registers": ("registers of a thread, as the driver says", 255),
        "local_bytes": ("local memory of a thread, as the driver says", 48),
    },
    "MeasuredClocks": {
        "before_mhz": ("the clock of the SMs before the samples", 1785),
        "after_mhz": ("the clock of the SMs after the samples", 1785),
        "temperature_c": ("the temperature after the samples", 54),
        "power_mw": ("the power after the samples", 310000),
    },
}

RECORDS: Properties = {
    **PROVENANCE,
    "Records": {
        "megasolve": ("the kind of this file", "records/v1"),
        "ignore": IGNORE,
        "title": ("free text: what was measured", "NH-TTS at batch 32"),
        "definitions": ("a place for YAML anchors, such as contexts that several records share", {"stage0": {"launch": {"threads": 256}}}),
        "records": ("the records", [_RECORD]),
    },
    "Record": {
        "group": ("the group of which one call was timed", "B"),
        "backend": ("the backend that it ran on", "megakernel"),
        "entries": ("the compiled entries that the record belongs to", ["stage0"]),
        "budget_ctas": ("the CTAs of the launch; for a conventional one the SMs of the device", 88),
        "batch": ("the batch size", 32),
        "precision": ("the precision", "bf16"),
        "device": ("the name of the device", "h100_nvl"),
        "context": ("launch, geometry, storage, synchronization and build, as the contract writes them", {"launch": {"threads": 256}}),
        "shapes": ("the sizes that the group's shapes ask for", {"context": 4096}),
        "duration_us": ("the time of one call, in microseconds", 3130),
        "samples_us": ("several times of one call, in microseconds", [3131.2, 3130, 3129.8]),
        "statistic": ("which of the samples counts", "lower_median"),
        "holds": ("what the time has in it beside the work of the kernels: their ramps, the gaps before them", ["ramp", "gap"]),
        "hbm_bytes": ("memory traffic of the call; without it the record serves only where nothing runs beside it", 7887600000),
        "accuracy": ("relative accuracy, as its source states it", 0.01),
        "beside": ("what ran beside it; such a time is no evidence", "c:C on 44 CTAs"),
        "provenance": ("where the time comes from", MEASURED_BY),
    },
}
