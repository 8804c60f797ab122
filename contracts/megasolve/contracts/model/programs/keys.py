"""The keys of operators by kind, as a JSON Schema says them."""

from __future__ import annotations

from pydantic.config import JsonDict

from ...operators.kind import OperatorKind
from ...operators.kinds import OPERATOR_KINDS


def schema_of_keys() -> JsonDict:
    """Return what a JSON Schema says about the keys of `shape` and `tile`, kind by kind, for editors to complete."""
    return {"allOf": [_of_kind(kind) for kind in OPERATOR_KINDS.values()]}


def _of_kind(kind: OperatorKind) -> JsonDict:
    shape: JsonDict = {"required": list(kind.required), "propertyNames": {"enum": list(kind.known)}}
    tile: JsonDict = {"items": {"propertyNames": {"enum": list(kind.tile)}}}
    return {"if": {"properties": {"kind": {"const": kind.name}}}, "then": {"properties": {"shape": shape, "tile": tile}}}
