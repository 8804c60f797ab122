"""The keys of operators by kind: which sizes a shape has, and along which of them it is cut into tiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic.config import JsonDict


@dataclass(frozen=True, slots=True)
class OperatorKeys:
    """What a shape of one kind must have and may have (with its usual value, if there is one), and which keys a tile cuts.

    Kinds of one *family* share their geometry in a region.
    """

    required: tuple[str, ...]
    tile: tuple[str, ...]
    family: str
    optional: Mapping[str, int | None] = field(default_factory=dict)

    @property
    def known(self) -> tuple[str, ...]:
        """All keys that a shape may have."""
        return (*self.required, *self.optional)


_ATTENTION = ("q_tokens", "kv_tokens", "q_heads", "kv_heads", "head_dim")
_STATE_SPACE = ("tokens", "heads", "head_dim", "state", "groups")
_CONVOLUTION = ("c_in", "c_out", "kernel", "t_out")

OPERATOR_KEYS: Mapping[str, OperatorKeys] = {
    "matmul": OperatorKeys(("m", "n", "k"), ("m", "n", "k"), "matmul"),
    "attention_prefill": OperatorKeys(_ATTENTION, ("q_tokens", "kv_heads"), "attention_prefill", {"sequences": 1}),
    "attention_decode": OperatorKeys(_ATTENTION, ("sequences", "kv_heads", "kv_tokens"), "attention_decode", {"sequences": 1}),
    "kv_append": OperatorKeys(("tokens", "kv_heads", "head_dim"), ("tokens", "kv_heads"), "kv_append"),
    "norm": OperatorKeys(("rows", "dim"), ("rows",), "norm"),
    "elementwise": OperatorKeys(("rows", "dim", "inputs"), ("rows", "dim"), "elementwise", {"weights": 0, "flops_per_element": None}),
    "rotary": OperatorKeys(("tokens", "heads", "head_dim"), ("tokens", "heads"), "rotary"),
    "embedding": OperatorKeys(("tokens", "dim"), ("tokens", "dim"), "embedding"),
    "conv1d": OperatorKeys(_CONVOLUTION, ("t_out", "c_out"), "convolution", {"stride": 1, "dilation": 1, "groups": 1}),
    "conv_transpose1d": OperatorKeys(_CONVOLUTION, ("t_out", "c_out"), "convolution", {"stride": 1, "groups": 1}),
    "scan": OperatorKeys(_STATE_SPACE, ("heads",), "state_space", {"sequences": 1}),
    "step": OperatorKeys(_STATE_SPACE, ("tokens", "heads"), "state_space"),
    "moe": OperatorKeys(("tokens", "experts", "top_k", "k", "n", "distinct"), ("distinct", "n"), "moe", {"matrices": 2}),
    "reduction": OperatorKeys(("rows", "dim"), ("rows",), "row", {"flops_per_element": None}),
    "sampling": OperatorKeys(("rows", "dim"), ("rows",), "row", {"flops_per_element": None}),
}
MAY_BE_ZERO = frozenset({"weights", "flops_per_element"})


def schema_of_keys() -> JsonDict:
    """Return what a JSON Schema says about the keys of `shape` and `tile`, kind by kind, for editors to complete."""
    return {"allOf": [_of_kind(kind, keys) for kind, keys in OPERATOR_KEYS.items()]}


def _of_kind(kind: str, keys: OperatorKeys) -> JsonDict:
    shape: JsonDict = {"required": list(keys.required), "propertyNames": {"enum": list(keys.known)}}
    tile: JsonDict = {"items": {"propertyNames": {"enum": list(keys.tile)}}}
    return {"if": {"properties": {"kind": {"const": kind}}}, "then": {"properties": {"shape": shape, "tile": tile}}}
