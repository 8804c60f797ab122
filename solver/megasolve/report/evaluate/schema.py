"""The JSON Schema of an evaluation, made from its shape."""

from __future__ import annotations

from megasolve.contracts import JsonObject


def evaluation_schema() -> JsonObject:
    """Return the JSON Schema of `evaluation/v1`."""
    from ..shapes.evaluation import EvaluationShape

    return {key: value for key, value in EvaluationShape.model_json_schema().items() if key != "title"}
