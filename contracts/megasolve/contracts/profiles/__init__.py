"""The front door of the importers: profiles of other tools in, what ran out.

It stands apart from the package's own, because planning from records needs none of it and should not wait for its import.
"""

from .errors import ProfileRefused
from .execution import (
    Called,
    Captured,
    Dim3,
    Execution,
    Format,
    Granularity,
    GraphNode,
    GraphReplay,
    Interval,
    Kernel,
    KernelShape,
    LaunchCall,
    ObservedDevice,
    OperatorCall,
    Site,
    Span,
    Summary,
)
from .longest import Spent, longest_first
from .reading import format_of, read_profile, read_profiles
from .totals import Totals, totals, union_ps

__all__ = [
    "Called",
    "Captured",
    "Dim3",
    "Execution",
    "Format",
    "Granularity",
    "GraphNode",
    "GraphReplay",
    "Interval",
    "Kernel",
    "KernelShape",
    "LaunchCall",
    "ObservedDevice",
    "OperatorCall",
    "ProfileRefused",
    "Site",
    "Span",
    "Spent",
    "Summary",
    "Totals",
    "format_of",
    "longest_first",
    "read_profile",
    "read_profiles",
    "totals",
    "union_ps",
]
