"""The JSON Schemas of results, made from their shapes."""

from __future__ import annotations

from collections.abc import Mapping

from megasolve.contracts import JsonObject

from .check import CheckShape
from .diff import DiffShape
from .evaluation import EvaluationShape
from .explanation import ExcludedExplanationShape, RankedExplanationShape, UnknownExplanationShape
from .failure import FailureShape
from .measurement import MeasurementShape, PlannedMeasurementShape, PlannedRunsShape, RunsShape
from .profiles import ProfilesShape
from .result import ResultShape
from .shape import Shape, result_schema
from .table import TableShape
from .tasks import TasksShape

SHAPES: Mapping[str, tuple[type[Shape], ...]] = {
    "check": (CheckShape,),
    "diff": (DiffShape,),
    "evaluation": (EvaluationShape,),
    "explanation": (RankedExplanationShape, ExcludedExplanationShape, UnknownExplanationShape),
    "failure": (FailureShape,),
    "measurement": (PlannedMeasurementShape, MeasurementShape),
    "profiles": (ProfilesShape,),
    "result": (ResultShape,),
    "runs": (PlannedRunsShape, RunsShape),
    "table": (TableShape,),
    "tasks": (TasksShape,),
}


def shaped_schema(kind: str) -> JsonObject:
    """Return the JSON Schema of the results of *kind*."""
    return result_schema(*SHAPES[kind])
