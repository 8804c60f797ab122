"""The front door of observing: from what ran to what groups, steps and launches took."""

from .observation import (
    AttributedBy,
    GroupRule,
    Observation,
    ObservedFile,
    ObservedGroup,
    ObservedKernel,
    Outside,
    Part,
    StepPlaces,
    StepsBy,
    StepTime,
    Unattributed,
)
from .observe import observe, observe_apart
from .occurrences.settled_steps import times_outside

__all__ = [
    "AttributedBy",
    "GroupRule",
    "Observation",
    "ObservedFile",
    "ObservedGroup",
    "ObservedKernel",
    "Outside",
    "Part",
    "StepPlaces",
    "StepTime",
    "StepsBy",
    "Unattributed",
    "observe",
    "observe_apart",
    "times_outside",
]
