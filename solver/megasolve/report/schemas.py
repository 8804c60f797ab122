"""JSON Schemas of the file kinds, for editors."""

from __future__ import annotations

from .solve.json import json_text

SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_json(kind: str) -> str:
    """Return the JSON Schema (draft 2020-12) of the file kind *kind*, for example ``spec``, as JSON text."""
    from megasolve.contracts import KINDS

    model = KINDS[f"{kind}/v1"]
    head = {"$schema": SCHEMA_DIALECT, "$id": f"urn:megasolve:schema:{kind}:v1", "title": f"megasolve {kind} file, version 1"}
    return json_text({**head, **{key: value for key, value in model.model_json_schema(by_alias=True).items() if key != "title"}})
