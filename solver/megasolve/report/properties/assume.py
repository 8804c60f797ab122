"""The properties of assumptions about megakernels that nobody built, in a spec or in a file of their own."""

from __future__ import annotations

from .table import IGNORE, Properties

ASSUME: Properties = {
    "Assumptions": {
        "megasolve": ("the kind of the file", "assume/v1"),
        "ignore": IGNORE,
        "assume": ("what megakernels that nobody built would be like, one entry for each kind of them", [{"fuse": ["attn", "mlp"]}]),
    },
    "Assumption": {
        "fuse": ("groups that one megakernel runs, or any: every region", ["attn", "mlp"]),
        "launch": ("its launch shape; by default the largest of each among the kernels of today", {"threads": 256, "registers": 168}),
        "dispatch": ("what one launch costs; by default what the device says", {"kind": "cooperative", "host_us": 5, "exposed_us": 8}),
        "loops_over": ("over what a launch stays: repeat, steps; by default a block is tried both ways", ["repeat"]),
        "wait_us": ("what one wait between two stages takes, in microseconds", 1.2),
        "efficiency": ("the speed of its tiles over that of today's kernels, or calibrated: by their programs", 0.95),
        "on_chip": ("operators whose output is neither stored nor loaded again", ["up_proj"]),
        "accuracy": ("how far its times may be off, relative", 0.1),
    },
    "AssumedLaunch": {
        "threads": ("threads of a CTA", 256),
        "registers": ("registers of a thread", 168),
        "shared_bytes": ("shared memory of a CTA, in bytes", 98304),
        "ctas_per_sm": ("CTAs on each SM", 1),
    },
    "AssumedDispatch": {
        "kind": ("how it is launched: stream, graph or cooperative", "cooperative"),
        "host_waits": ("whether the host part waits for what the launch waits for", True),
        "host_us": ("the host's part of a launch, in microseconds", 5),
        "exposed_us": ("the part of a launch for which the device waits, in microseconds", 8),
    },
}
