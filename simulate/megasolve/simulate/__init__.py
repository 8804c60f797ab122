"""What a design costs: event graphs, the exact engine and scores. Knows no files, no solver and no clock."""

from .arithmetic import EXACT, FLOAT, Arithmetic, Time
from .composition import Capacity, Composition, RegionPlan, Schedule
from .critical import Branches, Segment, branches, critical_path
from .designs import design_key
from .effects import Effects
from .engine import StepLimitExceeded, simulate
from .graph import Admission, EventGraph, GraphBuilder, Launch, Node, NodeKind, demand_of
from .launching import Graphed, Launching, Persistent, Streamed
from .lowering import Detail, lower
from .maxplus import Parts
from .objective import Objective
from .orders import DeadlockingOrder, TooManyOrders, deadlocks_under_some_order
from .outcome import Deadlock, Holder, Outcome, Waiter
from .scoring import Ablation, Score, event_graph, score
from .sharing import Phase, Sharing
from .steady import Cycle, lower_cycle
from .tables import GraphError
from .waves import in_waves, wave_factor
from .works import FREE, DispatchCost, Service, Work

__all__ = [
    "EXACT",
    "FLOAT",
    "FREE",
    "Ablation",
    "Admission",
    "Arithmetic",
    "Branches",
    "Capacity",
    "Composition",
    "Cycle",
    "Deadlock",
    "DeadlockingOrder",
    "Detail",
    "DispatchCost",
    "Effects",
    "EventGraph",
    "GraphBuilder",
    "GraphError",
    "Graphed",
    "Holder",
    "Launch",
    "Launching",
    "Node",
    "NodeKind",
    "Objective",
    "Outcome",
    "Parts",
    "Persistent",
    "Phase",
    "RegionPlan",
    "Schedule",
    "Score",
    "Segment",
    "Service",
    "Sharing",
    "StepLimitExceeded",
    "Streamed",
    "Time",
    "TooManyOrders",
    "Waiter",
    "Work",
    "branches",
    "critical_path",
    "deadlocks_under_some_order",
    "demand_of",
    "design_key",
    "event_graph",
    "in_waves",
    "lower",
    "lower_cycle",
    "score",
    "simulate",
    "wave_factor",
]
