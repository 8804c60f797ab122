"""The front door of the importers: profiles of other tools in, one model of what ran out.

It stands apart from the package's own, because planning from records needs none of it and should not wait for its import.
"""

from .errors import ProfileRefused
from .execution import (
    Dim3,
    Execution,
    Format,
    Granularity,
    GraphNode,
    GraphReplay,
    Kernel,
    KernelShape,
    ObservedDevice,
    Site,
    Span,
    Summary,
)
from .totals import Totals, totals, union_ps

__all__ = [
    "Dim3",
    "Execution",
    "Format",
    "Granularity",
    "GraphNode",
    "GraphReplay",
    "Kernel",
    "KernelShape",
    "ObservedDevice",
    "ProfileRefused",
    "Site",
    "Span",
    "Summary",
    "Totals",
    "totals",
    "union_ps",
]
