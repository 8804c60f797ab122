"""What is declared and observed: device, spec, contract and records files in, frozen and checked values out."""

from __future__ import annotations

from .check.checking import CheckIncomplete, CheckReport, check_paths, check_spec, checked
from .check.recorded import Asked, RecordAt, Recorded, asked_batches, asked_calls, is_launchable, key_of
from .check.unmeasured import Unmeasured
from .files.collected import IgnoredFinding
from .files.disk.no_evidence import REFUSED_SAMPLES
from .files.disk.project import OutsideRoot, Project, project_in, project_of
from .files.documents import Document, read_document
from .files.schema.kinds import KINDS
from .files.shipped import shipped_specs
from .files.stamp import Input, Stamp, inputs_of
from .files.study import Study, load_spec, load_study
from .files.text import LARGEST_FILE_BYTES
from .graph.awaiting import unawaited
from .graph.dependences import Dependences, dependences, dependences_of
from .graph.regions import region_sets, why_no_region, widest_branch
from .limits.launch_figures import LaunchFigures, launch_figures
from .limits.launches import launch_faults
from .limits.partitions import pair_faults, partition_faults, partition_pairs
from .limits.residency import CoResidency, co_residency
from .model.base import PS_PER_MS, PS_PER_NS, PS_PER_SECOND, PS_PER_US, Frozen, Json, JsonObject, Located, Place
from .model.compiled import Compiled, CompiledKernel
from .model.contract import (
    Backend,
    Build,
    Contract,
    Dispatch,
    Launch,
    Partition,
    Placement,
    PolicyKind,
    Role,
    Source,
    Storage,
    Synchronization,
)
from .model.device import ClusterLimit, Device, LaunchCost, LaunchCosts, LaunchKind, PartitionLimits
from .model.errors import CheckFailed, MegasolveError, UnknownBatch, UnknownDevice, UnreadableFile
from .model.findings import Fault, Finding, Recurrence, Severity
from .model.key import Key, differences, keys_of
from .model.measured import CoRunSide, Measured, MeasuredComposition, MeasuredCoRun, MeasuredRun
from .model.measurement import MeasuredClocks, MeasuredLaunch, Measurement
from .model.record import SIMULATED_HARDWARE, Evidence, Provenance, Record, Records, Statistic
from .model.rules import Rule, RuleKind
from .model.spec import (
    BudgetPair,
    Constraints,
    Edge,
    GroupRole,
    GroupSpec,
    Interleave,
    Objective,
    OutsideTime,
    PartitionPair,
    Publication,
    RepeatedBlock,
    Spec,
    StreamSchedule,
)

__all__ = [
    "KINDS",
    "LARGEST_FILE_BYTES",
    "PS_PER_MS",
    "PS_PER_NS",
    "PS_PER_SECOND",
    "PS_PER_US",
    "REFUSED_SAMPLES",
    "RULES",
    "SIMULATED_HARDWARE",
    "Asked",
    "Backend",
    "BudgetPair",
    "Build",
    "CheckFailed",
    "CheckIncomplete",
    "CheckReport",
    "ClusterLimit",
    "CoResidency",
    "CoRunSide",
    "Compiled",
    "CompiledKernel",
    "Constraints",
    "Contract",
    "Dependences",
    "Device",
    "Dispatch",
    "Document",
    "Edge",
    "Evidence",
    "Fault",
    "Finding",
    "Frozen",
    "GroupRole",
    "GroupSpec",
    "IgnoredFinding",
    "Input",
    "Interleave",
    "Json",
    "JsonObject",
    "Key",
    "Launch",
    "LaunchCost",
    "LaunchCosts",
    "LaunchFigures",
    "LaunchKind",
    "Located",
    "Measured",
    "MeasuredClocks",
    "MeasuredCoRun",
    "MeasuredComposition",
    "MeasuredLaunch",
    "MeasuredRun",
    "Measurement",
    "MegasolveError",
    "Objective",
    "OutsideRoot",
    "OutsideTime",
    "Partition",
    "PartitionLimits",
    "PartitionPair",
    "Place",
    "Placement",
    "PolicyKind",
    "Project",
    "Provenance",
    "Publication",
    "Record",
    "RecordAt",
    "Recorded",
    "Records",
    "Recurrence",
    "RepeatedBlock",
    "Role",
    "Rule",
    "RuleKind",
    "Severity",
    "Source",
    "Spec",
    "Stamp",
    "Statistic",
    "Storage",
    "StreamSchedule",
    "Study",
    "Synchronization",
    "UnknownBatch",
    "UnknownDevice",
    "Unmeasured",
    "UnreadableFile",
    "asked_batches",
    "asked_calls",
    "check_paths",
    "check_spec",
    "checked",
    "co_residency",
    "dependences",
    "dependences_of",
    "differences",
    "inputs_of",
    "is_launchable",
    "key_of",
    "keys_of",
    "launch_faults",
    "launch_figures",
    "load_spec",
    "load_study",
    "pair_faults",
    "partition_faults",
    "partition_pairs",
    "project_in",
    "project_of",
    "read_document",
    "region_sets",
    "shipped_specs",
    "unawaited",
    "why_no_region",
    "widest_branch",
]

RULES: tuple[Rule, ...]


def __getattr__(name: str) -> tuple[Rule, ...]:
    """Find `RULES` when it is asked for: who only reads files, or plans, loads no rule."""
    if name != "RULES":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .check.registry import every_rule

    return every_rule()
