"""The properties of the programs in a contract."""

from __future__ import annotations

from collections.abc import Mapping

from megasolve.contracts import Json, JsonObject

from .table import Properties

NORM: JsonObject = {"name": "norm", "kind": "norm", "shape": {"rows": "batch", "columns": 2048}}
_WAITING: Mapping[str, tuple[str, Json]] = {
    "name": ("the name of the operator in its block", "qkv"),
    "after": ("what it waits for", [{"operator": "norm", "pattern": "rows"}]),
    "forwarded": ("whether its output stays on chip: no store, and no load by those that read it", True),
    "waits": ("how many synchronization costs a tile pays; one per counter where it is left out", 1),
}
_TIMED: Mapping[str, tuple[str, Json]] = {
    "compute_us": ("compute time of a tile in microseconds: one figure, or one for each geometry or tile", 3.2),
    "compute_at": ("compute times at other limits of registers", [{"registers": 128, "compute_us": 3.9}]),
    "staging_bytes": ("what a tile takes of the staging space: one figure, or one each", 65536),
}

OPERATORS: Properties = {
    "Block": {
        "repeat": ("how often the operators run in a row", "layers"),
        "operators": (
            "the operators, in the order of the program",
            [NORM],
        ),
    },
    "Dependency": {
        "operator": ("the operator that is waited for", "norm"),
        "pattern": ("which of its tiles: all, the same one, or those whose rows or columns overlap", "rows"),
        "previous": ("whether it is that of the repeat before", False),
        "hand_off": ("how a tile learns that its data is there; by it data_us may tell costs apart", "flag"),
    },
    "LimitedTime": {
        "registers": ("the limit of registers per thread that this time is of", 128),
        "compute_us": ("the compute time of a tile at that limit, in microseconds", 3.9),
    },
    "ShapedOperator": {
        **_WAITING,
        **_TIMED,
        "kind": ("what it computes", "matmul"),
        "shape": (
            "its sizes by name: numbers, or expressions over the symbols and batch",
            {"m": "batch", "n": 2048, "k": 2048},
        ),
        "tile": ("the geometries that exist of it, by the same names", [{"m": 16, "n": 64}]),
        "element_bytes": ("bytes of an element of its tensors", 2),
        "weight_element_bytes": ("bytes of an element of its weights, where they are others", 1),
        "state_element_bytes": ("bytes of an element of its state, where they are others", 2),
        "bias": ("whether it adds a bias", False),
        "reread": ("tensors that every tile loads for itself", ["activations"]),
        "efficiency": ("the share of the device's dense rate that a tile reaches, where no time is said", 0.445),
        "pipelined": ("whether a tile computes on what has come of its load, as those of libraries do", True),
        "library": ("whether a library of matrix products chooses its tile, so that the grid fills the device", True),
    },
    "ExplicitOperator": {
        **_WAITING,
        **_TIMED,
        "kind": ("explicit: tiles with stated times and bytes", "explicit"),
        "tiles": ("how many tiles it has", 264),
        "weight_bytes": ("weight bytes of a tile: one figure, or one each", 131072),
        "activation_bytes": ("activation bytes that a tile loads: one figure, or one each", 4096),
        "output_bytes": ("bytes that a tile stores: one figure, or one each", 4096),
    },
    "OpaqueOperator": {
        **_WAITING,
        "kind": ("opaque: a kernel without tiles", "opaque"),
        "grid_ctas": ("its grid", 264),
        "duration_us": ("how long it took, in microseconds", 42.5),
        "hbm_bytes": ("its memory traffic", 33554432),
        "resident_ctas": ("how many of its blocks ran at a time then", 132),
    },
}
