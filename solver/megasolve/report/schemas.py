"""JSON Schemas of the file kinds, for editors, and of results."""

from __future__ import annotations

from collections.abc import Callable

from megasolve.contracts import JsonObject

from .headroom.schema import headroom_schema
from .solve.json import json_text
from .sweep.schema import sweep_schema

SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"
SHAPED = ("check", "diff", "evaluation", "explanation", "failure", "measurement", "profiles", "result", "runs", "table", "tasks")


def _shaped(kind: str) -> Callable[[], JsonObject]:
    def schema() -> JsonObject:
        # Shapes take time to load, and only this needs them.
        from .shapes.schemas import shaped_schema

        return shaped_schema(kind)

    return schema


RESULTS = {**{kind: _shaped(kind) for kind in SHAPED}, "headroom": headroom_schema, "sweep": sweep_schema}


def schema_json(kind: str) -> str:
    """Return the JSON Schema (draft 2020-12) of the file kind *kind*, for example ``spec``, or of a kind of result, as JSON text."""
    from megasolve.contracts import KINDS

    if kind in RESULTS:
        from .properties.results import WORDS
        from .properties.worded import worded

        head = {"$schema": SCHEMA_DIALECT, "$id": f"urn:megasolve:schema:{kind}:v1", "title": f"megasolve {kind} result, version 1"}
        return json_text({**head, **worded(RESULTS[kind](), WORDS.get(kind, {}))})

    model = KINDS[f"{kind}/v1"]
    head = {"$schema": SCHEMA_DIALECT, "$id": f"urn:megasolve:schema:{kind}:v1", "title": f"megasolve {kind} file, version 1"}
    from .properties.described import described

    schema = {key: value for key, value in model.model_json_schema(by_alias=True).items() if key != "title"}
    return json_text({**head, **described(schema, kind, model.__name__)})
