"""The front door of the importers: profiles of other tools in, what ran and the records, contracts and specs that follow out.

It stands apart from the package's own, because planning from records needs none of it and should not wait for its import.
"""

from .errors import ProfileRefused
from .execution import (
    Called,
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
    Site,
    Span,
    Summary,
)
from .longest import Spent, longest_first
from .observing.observation import (
    Attribution,
    GroupRule,
    Observation,
    ObservedFile,
    ObservedGroup,
    ObservedKernel,
    Outside,
    StepsBy,
    Unattributed,
)
from .observing.observe import observe, observe_apart
from .observing.settled_steps import times_outside
from .reading import read_profile, read_profiles
from .scaffolding.asking import declared_attribution, steps_by, steps_words
from .scaffolding.circumstances import Circumstances, assumed_sentences, circumstances
from .scaffolding.device import identified, profiled_device
from .scaffolding.importing import fresh_records, study_records
from .scaffolding.looping import Looping, looping
from .scaffolding.records import records_json_lines, records_yaml
from .scaffolding.scaffold import Scaffold, Wishes, scaffold
from .scaffolding.timings import Unused
from .totals import Totals, totals, union_ps

__all__ = [
    "Attribution",
    "Called",
    "Circumstances",
    "Dim3",
    "Execution",
    "Format",
    "Granularity",
    "GraphNode",
    "GraphReplay",
    "GroupRule",
    "Interval",
    "Kernel",
    "KernelShape",
    "LaunchCall",
    "Looping",
    "Observation",
    "ObservedDevice",
    "ObservedFile",
    "ObservedGroup",
    "ObservedKernel",
    "Outside",
    "ProfileRefused",
    "Scaffold",
    "Site",
    "Span",
    "Spent",
    "StepsBy",
    "Summary",
    "Totals",
    "Unattributed",
    "Unused",
    "Wishes",
    "assumed_sentences",
    "circumstances",
    "declared_attribution",
    "fresh_records",
    "identified",
    "longest_first",
    "looping",
    "observe",
    "observe_apart",
    "profiled_device",
    "read_profile",
    "read_profiles",
    "records_json_lines",
    "records_yaml",
    "scaffold",
    "steps_by",
    "steps_words",
    "study_records",
    "times_outside",
    "totals",
    "union_ps",
]
