"""What a design costs: event graphs, the exact engine and scores. Knows no files, no solver and no clock."""

from .arithmetic import Arithmetic
from .composition import Capacity, Composition, CostKind, DispatchCost, Phase, RegionPlan, Schedule, Service, Sharing, Work
from .designs import design_key
from .engine import StepLimitExceeded, simulate
from .graph import Admission, EventGraph, GraphBuilder, Launch, Node, NodeKind, demand_of
from .lowering import Detail, lower
from .maxplus import Parts
from .outcome import Deadlock, Holder, Outcome, Waiter
from .scoring import Ablation, Score, event_graph, score
from .steady import Cycle, Objective, lower_cycle
from .critical import Branches, Segment, branches, critical_path

__all__ = [
    "Ablation",
    "Admission",
    "Arithmetic",
    "Branches",
    "Capacity",
    "Composition",
    "CostKind",
    "Cycle",
    "Deadlock",
    "Detail",
    "DispatchCost",
    "EventGraph",
    "GraphBuilder",
    "Holder",
    "Launch",
    "Node",
    "NodeKind",
    "Objective",
    "Outcome",
    "Parts",
    "Phase",
    "RegionPlan",
    "Schedule",
    "Score",
    "Segment",
    "Service",
    "Sharing",
    "StepLimitExceeded",
    "Waiter",
    "Work",
    "branches",
    "critical_path",
    "demand_of",
    "design_key",
    "event_graph",
    "lower",
    "lower_cycle",
    "score",
    "simulate",
]
