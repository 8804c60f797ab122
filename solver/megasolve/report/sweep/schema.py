"""The JSON Schema of `sweep/v1`."""

from __future__ import annotations

from collections.abc import Mapping

from megasolve.contracts import JsonObject

_TEXT: JsonObject = {"type": "string"}
_WORDS: JsonObject = {"type": ["string", "null"]}
_COUNT: JsonObject = {"type": "integer", "minimum": 0}
_NUMBER: JsonObject = {"type": "number"}
_NUMBER_OR_NULL: JsonObject = {"type": ["number", "null"]}
_SHARE: JsonObject = {"type": "number", "minimum": 0, "maximum": 1}
_SHARE_OR_NULL: JsonObject = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
_TRUE: JsonObject = {"type": "boolean"}
_TRUE_OR_NULL: JsonObject = {"type": ["boolean", "null"]}
_NULL: JsonObject = {"type": "null"}
# A field may be of any type where nothing is varied but looked at.
_VALUE: JsonObject = {"type": ["number", "string", "null"]}
_PS = "^-?[0-9]+(/[0-9]+)?$"


def sweep_schema() -> JsonObject:
    """Return the schema of the JSON result of `sweep`."""
    return _object(
        {
            "megasolve": {"const": "sweep/v1"},
            "spec": _TEXT,
            "device": _TEXT,
            "without": _texts(),
            "set": _list(_setting()),
            "outside": {"type": "array"},
            "version": _TEXT,
            "options": {"type": "object"},
            "inputs": _list(_object({"path": _TEXT, "sha256": _WORDS})),
            "batches": _list(_batches()),
            "fields": _list(_field()),
            "robustness": _list(_robust()),
        },
        optional=("version", "options", "inputs"),
    )


def _setting() -> JsonObject:
    return _object({"path": _TEXT, "value": _TEXT, "fields": _list(_object({"file": _TEXT, "path": _TEXT, "before": _WORDS}))})


def _batches() -> JsonObject:
    change = {"last": _COUNT, "first": _COUNT, "before": _texts(), "after": _texts()}
    return _object(
        {
            "objective": _TEXT,
            "points": _list(_object({"batch": _COUNT, **_plan()})),
            "changes": _list(_object(change)),
            "category": _category(),
            "savings": _list(_saving()),
        }
    )


def _plan() -> dict[str, JsonObject]:
    return {
        "best": _texts(),
        **_time("score", may_lack=True),
        "next": _WORDS,
        "margin": _NUMBER_OR_NULL,
        "too_close": _texts(),
        "candidates": _COUNT,
        "ranked": _COUNT,
        "proven": _TRUE,
        "notes": _texts(),
    }


def _category() -> JsonObject:
    design = {"anyOf": [_object({"id": _TEXT, **_time("score")}), _NULL]}
    extent = {
        "batch": _COUNT,
        "pays": _TRUE_OR_NULL,
        "with": design,
        "without": design,
        "margin": _NUMBER_OR_NULL,
        "winner": _texts(),
        "lasting_share_of_path": _SHARE,
    }
    names: JsonObject = {"enum": ["stable", "receding", "advancing", "averse", None]}
    return _object({"name": names, "because": _TEXT, "lasting": _texts(), "evidence": _list(_object(extent))})


def _saving() -> JsonObject:
    mechanisms: JsonObject = {"enum": ["launches", "service", "traffic", "waves", "waits", "overlap", "contention"]}
    known = {
        "entry": _TEXT,
        "with": _object({"id": _TEXT, **_time("score")}),
        "without": _object({"id": _TEXT, **_time("score")}),
        "mechanisms": _list(_object({"name": mechanisms, **_time("saving")})),
        **_time("saving"),
        **_time("fixed"),
        **_time("difference"),
    }
    about = {"batch": _COUNT, "region": _TEXT, "pays": _TRUE_OR_NULL, "because": _TEXT}
    return _object({**about, **known}, optional=("because", *known))


def _field() -> JsonObject:
    ends = {"last": _VALUE, "first": _VALUE, "last_text": _TEXT, "first_text": _TEXT}
    return _object(
        {
            "path": _TEXT,
            "now": _VALUE,
            "batch": _COUNT,
            "objective": _TEXT,
            "points": _list(_object({"value": _VALUE, **_plan()})),
            "changes": _list(_object({**ends, "exact": _TRUE, "before": _texts(), "after": _texts()})),
        }
    )


def _robust() -> JsonObject:
    return _object(
        {
            "objective": _TEXT,
            "batch": _COUNT,
            "best": _texts(),
            "designs": _COUNT,
            "whole": _TRUE,
            "limited": _TRUE,
            "draws": _COUNT,
            "seed": _COUNT,
            "times": _COUNT,
            "times_that_state_an_accuracy": _COUNT,
            "assumed_accuracy": _NUMBER_OR_NULL,
            "chances": _list(_object({"id": _TEXT, "share": _SHARE, "same_as": _WORDS})),
            "flips": _list(_time_flips()),
            "common": _list(_common()),
            "measure_next": _list(_next()),
        }
    )


def _time_flips() -> JsonObject:
    flip: JsonObject = {"anyOf": [_object({**_time("time"), "ratio": _NUMBER, "best": _texts()}), _NULL]}
    about = {"name": _TEXT, "path": _WORDS, "place": _TEXT, "evidence": _TEXT, "accuracy": _NUMBER_OR_NULL}
    return _object({**about, **_time("time"), "below": flip, "above": flip})


def _common() -> JsonObject:
    flip: JsonObject = {"anyOf": [_object({"factor": _NUMBER, "ratio": _NUMBER, "best": _texts()}), _NULL]}
    return _object({"evidence": _TEXT, "backend": _WORDS, "times": _COUNT, "below": flip, "above": flip})


def _next() -> JsonObject:
    chances = {"chance_now": _SHARE_OR_NULL, "chance_then": _SHARE_OR_NULL}
    return _object({"name": _TEXT, "path": _WORDS, **chances, "command": _WORDS})


def _time(name: str, *, may_lack: bool = False) -> dict[str, JsonObject]:
    """Return a time in microseconds, and exactly in picoseconds: a whole number, or a fraction as text."""
    null: list[JsonObject] = [_NULL] if may_lack else []
    exact: JsonObject = {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": _PS}, *null]}
    return {f"{name}_us": _NUMBER_OR_NULL if may_lack else _NUMBER, f"{name}_ps": exact}


def _texts() -> JsonObject:
    return _list(_TEXT)


def _list(of: JsonObject) -> JsonObject:
    return {"type": "array", "items": of}


def _object(properties: Mapping[str, JsonObject], optional: tuple[str, ...] = ()) -> JsonObject:
    """Return an object of these *properties*; others may be added."""
    return {"type": "object", "properties": dict(properties), "required": [name for name in properties if name not in optional]}
