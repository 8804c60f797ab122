"""Whether a JSON result is as its schema says, as far as the schemas of results go."""

from __future__ import annotations

from typing import Any


def fits(schema: dict[str, Any], value: Any) -> bool:
    """Whether *value* is as *schema* says, as far as the schemas of results go."""
    if "anyOf" in schema:
        return any(fits(one, value) for one in schema["anyOf"])
    if "const" in schema or "enum" in schema:
        return value in schema.get("enum", [schema.get("const")])
    kinds: dict[str, type | tuple[type, ...]] = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "null": type(None),
    }
    names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if not any(isinstance(value, kinds[name]) for name in names):
        return False
    if isinstance(value, dict) and "properties" in schema:
        known = all(key in schema["properties"] and fits(schema["properties"][key], one) for key, one in value.items())
        return known and {*schema["required"]} <= {*value}
    return all(fits(schema["items"], one) for one in value) if isinstance(value, list) and "items" in schema else True
