"""What a design costs: event graphs, the exact engine and scores. Knows no files, no solver and no clock."""

from .events.arithmetic import EXACT, FLOAT, Arithmetic, Time
from .events.engine import StepLimitExceeded, simulate
from .events.graph import Admission, EventGraph, GraphBuilder, HeldLaunch, KernelGrid, Node, NodeKind, demand_of
from .events.orders import DeadlockingOrder, TooManyOrders, deadlocks_under_some_order
from .events.outcome import Deadlock, Holder, Outcome, Waiter, Wave
from .events.tables import GraphError
from .events.waves import wave_factor, wave_of
from .plan.launches import Graphed, Launching, Persistent, Streamed
from .plan.objective import Objective
from .plan.sharing import Phase, Sharing
from .plan.works import FREE, DispatchCost, Repeated, Section, Service, Work
from .predict.bound import lower_bound
from .predict.composition import Capacity, Composition, RegionPlan, RepeatPlan, Schedule, SecondStream
from .predict.critical import Branches, Segment, branches, critical_path
from .predict.designs import design_key
from .predict.effects import Effects
from .predict.lowering.lower import lower
from .predict.lowering.writer import Detail
from .predict.maxplus import Parts
from .predict.scoring import Ablation, Score, event_graph, score
from .predict.steady import Cycle, lower_cycle

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
    "HeldLaunch",
    "Holder",
    "KernelGrid",
    "Launching",
    "Node",
    "NodeKind",
    "Objective",
    "Outcome",
    "Parts",
    "Persistent",
    "Phase",
    "RegionPlan",
    "RepeatPlan",
    "Repeated",
    "Schedule",
    "Score",
    "SecondStream",
    "Section",
    "Segment",
    "Service",
    "Sharing",
    "StepLimitExceeded",
    "Streamed",
    "Time",
    "TooManyOrders",
    "Waiter",
    "Wave",
    "Work",
    "branches",
    "critical_path",
    "deadlocks_under_some_order",
    "demand_of",
    "design_key",
    "event_graph",
    "lower",
    "lower_bound",
    "lower_cycle",
    "score",
    "simulate",
    "wave_factor",
    "wave_of",
]
