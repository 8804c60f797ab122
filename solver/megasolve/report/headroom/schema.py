"""The JSON Schema of `headroom/v1`."""

from __future__ import annotations

from collections.abc import Mapping

from megasolve.contracts import JsonObject

_TEXT: JsonObject = {"type": "string"}
_WORDS: JsonObject = {"type": ["string", "null"]}
_COUNT: JsonObject = {"type": "integer", "minimum": 0}
_COUNT_OR_NULL: JsonObject = {"type": ["integer", "null"], "minimum": 0}
_LARGE: JsonObject = {"anyOf": [_COUNT, {"type": "string", "pattern": "^[0-9]+$"}], "description": "text from 2^53 on"}
_TRUE: JsonObject = {"type": "boolean"}
_PS = "^-?[0-9]+(/[0-9]+)?$"


def headroom_schema() -> JsonObject:
    """Return the schema of the JSON result of `headroom`."""
    return _object(
        {
            "megasolve": {"const": "headroom/v1"},
            "spec": _TEXT,
            "device": _TEXT,
            "version": _TEXT,
            "options": {"type": "object"},
            "inputs": _list(_object({"path": _TEXT, "sha256": _WORDS})),
            "outside": {"type": "array"},
            "batches": _list(_batch()),
        },
        optional=("version", "options", "inputs", "outside"),
    )


def _batch() -> JsonObject:
    graphs = {**_time("as_graph", may_lack=True), **_time("as_dependent_graph", may_lack=True), **_time("kernel_floors", may_lack=True)}
    spent = {**_time("busy"), **_time("idle"), "kernels": _COUNT, **graphs, "opaque_kernels": _COUNT}
    baseline = {"id": _TEXT, **_time("score"), **spent}
    return _object(
        {
            "batch": _COUNT,
            "objective": _TEXT,
            "baseline": _object(baseline, optional=tuple(spent)),
            "launch": _object({**_time("host"), **_time("exposed"), **_time("wait", may_lack=True), "because": _TEXT, "is_known": _TRUE}),
            "regions": _list(_region()),
            "notes": _list(_TEXT),
            "plan": _list(_step()),
        },
        optional=("plan",),
    )


def _step() -> JsonObject:
    design: dict[str, JsonObject] = {
        "id": _TEXT,
        **_time("score"),
        "entries": _list(_TEXT),
        "accuracy": {"type": ["number", "null"], "minimum": 0},
    }
    names: dict[str, JsonObject] = {
        "added": _list(_TEXT),
        "dropped": _list(_TEXT),
        "rivals": _list(_object(design)),
        "inside": _list(_object(design)),
    }
    return _object({"new": _COUNT, **design, **_time("saves"), **names, "proven": _TRUE, "evidence": {"enum": ["assumed", None]}})


def _region() -> JsonObject:
    seen = _object({"last_ps": _COUNT, "first_ps": _COUNT, "wins_before": _TRUE})
    return _object(
        {
            "region": _TEXT,
            "groups": _list(_TEXT),
            "launched": {"enum": ["each repeat", "all repeats", None]},
            "kernels": _COUNT,
            "launches": _COUNT,
            **_time("today"),
            **_time("kernels"),
            **_time("gaps"),
            **_time("waits"),
            **_time("floor"),
            **_time("floor_with_waits", may_lack=True),
            "bound_by": {"enum": ["bytes", "FLOPs", None]},
            "floor_bytes": _COUNT,
            "floor_flops": _LARGE,
            "floor_cached_bytes": _COUNT,
            "floor_kernels": _COUNT,
            **_time("break_even", may_lack=True),
            "break_even_factor": {"type": ["number", "null"], "minimum": 0},
            "break_even_is": {"enum": ["exact", "any time", "never"]},
            "break_even_is_only": _TRUE,
            "break_evens_seen": _list(seen),
            **_time("saves_at_most"),
            **_time("saves_at_kernels"),
            "verdict": {"enum": ["cannot pay", "pays by launches alone", "pays only if faster", "pays at any time"]},
            "verdict_words": _TEXT,
            "assumed": {"anyOf": [_assumed(), {"type": "null"}]},
            "against": _against(),
        }
    )


def _assumed() -> JsonObject:
    outlooks: JsonObject = {"enum": ["pays as assumed", "loses as assumed", "too close to call"]}
    accuracy: JsonObject = {"type": ["number", "null"], "minimum": 0}
    return _object({"entry": _TEXT, **_time("time"), "accuracy": accuracy, **_time("saves"), "outlook": outlooks})


def _against() -> JsonObject:
    return _object(
        {
            "threads": _COUNT_OR_NULL,
            "registers": _COUNT_OR_NULL,
            "shared_bytes": _COUNT,
            "ctas_per_sm": _COUNT_OR_NULL,
            "stages": _COUNT,
            "narrow_stages": _COUNT,
            "narrowest_ctas": _COUNT_OR_NULL,
            "waits": _COUNT,
            **_time("gap_per_wait", may_lack=True),
        }
    )


def _time(name: str, *, may_lack: bool = False) -> dict[str, JsonObject]:
    """Return a time in microseconds, and exactly in picoseconds: a whole number, or a fraction as text."""
    null: list[JsonObject] = [{"type": "null"}] if may_lack else []
    exact: JsonObject = {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": _PS}, *null]}
    return {f"{name}_us": {"type": ["number", "null"] if may_lack else "number"}, f"{name}_ps": exact}


def _list(of: JsonObject) -> JsonObject:
    return {"type": "array", "items": of}


def _object(properties: Mapping[str, JsonObject], optional: tuple[str, ...] = ()) -> JsonObject:
    """Return an object of these *properties*; others may be added."""
    return {"type": "object", "properties": dict(properties), "required": [name for name in properties if name not in optional]}
