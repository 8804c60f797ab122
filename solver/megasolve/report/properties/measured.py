"""The properties of measured files, and of what compilers report."""

from __future__ import annotations

from megasolve.contracts import JsonObject

from .records import MEASURED_BY, PROVENANCE
from .table import HASH, IGNORE, Properties

_COMPOSITION: JsonObject = {
    "candidate": "m:P/m:B+L/m:C@dynamic:88/44",
    "entries": [["P"], ["B_L"], ["C"]],
    "samples_us": [412.5, 410, 411.25],
    "places": [2, 1, 2],
}
_PRODUCER: JsonObject = {"groups": ["B", "L"], "backend": "megakernel", "entries": ["B_L"], "ctas": 88}
_CONSUMER: JsonObject = {"groups": ["C"], "backend": "megakernel", "entries": ["C"], "ctas": 44}
_CO_RUN: JsonObject = {"producer": _PRODUCER, "consumer": _CONSUMER, "cooperative": True, "wanted_ctas": 132, "met_ctas": 132}
_RUN: JsonObject = {
    "session": "2026-11-04T18:30:00",
    "batch": 1,
    "precision": "bf16",
    "device": "h200",
    "qualified": True,
    "composition": _COMPOSITION,
    "provenance": MEASURED_BY,
}
_KERNEL: JsonObject = {
    "symbol": "stage0_loop",
    "entries": ["stage0"],
    "compute_capability": "9.0",
    "threads": 256,
    "registers": 255,
}


MEASURED: Properties = {
    **PROVENANCE,
    "Measured": {
        "megasolve": ("the kind of this file", "measured/v1"),
        "ignore": IGNORE,
        "title": ("free text: what was run", "an evening on the H200"),
        "runs": ("the runs of candidates and of co-runs", [_RUN]),
    },
    "MeasuredRun": {
        "session": ("runs of one session share its blocks", "2026-11-04T18:30:00"),
        "batch": ("the batch size", 1),
        "precision": ("the precision", "bf16"),
        "device": ("the name of the device", "h200"),
        "qualified": ("whether it computed what the reference does; if not, it has no times", True),
        "because": ("why it did not qualify", "tokens of step 5 differ from the reference"),
        "composition": ("the candidate that ran as a whole", _COMPOSITION),
        "co_run": ("a producer and a consumer that ran beside each other", _CO_RUN),
        "relative_l2": ("how far what was computed is from the reference", 0.002),
        "notes": ("what to know before trusting the times", ["the clock fell during block 3"]),
        "provenance": ("where the times come from", MEASURED_BY),
    },
    "MeasuredComposition": {
        "candidate": ("the id of the candidate", "m:P/m:B+L/m:C@dynamic:88/44"),
        "objective": ("the end of its time, from the first launch on", "first_publication"),
        "entries": ("the entries of each of its regions", [["P"], ["B_L"], ["C"]]),
        "samples_us": ("one time from each block, in microseconds", [412.5, 410, 411.25]),
        "blocks_us": (
            "all times of each block, in microseconds; empty for a block that did not run it",
            [[412.5, 410], [411.25, 413]],
        ),
        "places": ("as which one of its block, from 1, each sample was taken", [2, 1, 2]),
        "groups": ("the times of its groups in the same blocks", [{"group": "P", "samples_us": [101, 100.5, 102]}]),
    },
    "MeasuredGroup": {
        "group": ("the group", "P"),
        "samples_us": ("what all its calls took in a run of each block, in microseconds", [101, 100.5, 102]),
        "blocks_us": ("the same for all runs of each block", [[101, 100.5], [102, 101]]),
    },
    "MeasuredCoRun": {
        "producer": ("the side of the producers", _PRODUCER),
        "consumer": ("the side of the consumers", _CONSUMER),
        "cooperative": ("whether persistent sides were launched cooperatively", True),
        "wanted_ctas": ("how many blocks should have met at the start; absent where nobody counted", 132),
        "met_ctas": ("how many did", 132),
        "order": ("in which order times were taken", ["producer", "consumer", "pair"]),
    },
    "CoRunSide": {
        "groups": ("the groups of this side", ["B", "L"]),
        "backend": ("the backend of this side", "megakernel"),
        "entries": ("its entries", ["B_L"]),
        "ctas": ("its CTAs; kernels have none of their own, on a partition these are its SMs", 88),
        "solo_us": ("times of one round alone, in microseconds", [30, 29.5]),
        "pair_us": ("times of one round beside the other side, in microseconds", [36, 36.5]),
        "sms": ("the SMs that its blocks ran on, in their order", [0, 1, 2]),
    },
}

COMPILED: Properties = {
    "Compiled": {
        "megasolve": ("the kind of this file", "compiled/v1"),
        "ignore": IGNORE,
        "compiler": ("the compiler as contracts name it", "nvcc 13.0"),
        "source_sha256": ("the hash of the source that it compiled", HASH),
        "kernels": ("the kernels", [_KERNEL]),
        "notes": ("free text", "copied from ptxas -v"),
    },
    "CompiledKernel": {
        "symbol": ("the kernel", "stage0_loop"),
        "entries": ("the contracts whose kernel it is", ["stage0"]),
        "compute_capability": ("the architecture that it was compiled for", "9.0"),
        "threads": ("the launch bound on threads of a block", 256),
        "ctas_per_sm": ("the launch bound on blocks of an SM", 1),
        "registers": ("registers of a thread", 255),
        "stack_bytes": ("stack of a thread", 48),
        "spill_store_bytes": ("bytes that a thread stores to spill registers", 48),
        "spill_load_bytes": ("bytes that a thread loads of spilled registers", 84),
        "shared_bytes": ("static shared memory of a block", 1024),
    },
}
