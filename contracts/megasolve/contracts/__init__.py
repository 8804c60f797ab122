"""What is declared and observed: device, spec, contract and records files in, frozen and checked values out."""

from __future__ import annotations

from ._base import PS_PER_US, Frozen, Located, Place
from ._fault import Fault
from ._shipped import shipped_specs
from ._text import LARGEST_FILE_BYTES
from .checking import CheckIncomplete, CheckReport, check_paths, check_spec, load_spec
from .compiled import Compiled, CompiledKernel
from .contract import Backend, Build, Contract, Dispatch, Launch, Partition, Placement, PolicyKind, Role, Source, Storage, Synchronization
from .device import ClusterLimit, Device, LaunchCost, LaunchCosts, LaunchKind, PartitionLimits
from .documents import Document, read_document
from .errors import CheckFailed, MegasolveError, UnknownDevice, UnreadableFile
from .findings import Finding, Rule, RuleKind, Severity
from .key import Key, differences, keys_of
from .kinds import KINDS
from .launch_figures import LaunchFigures, launch_figures
from .limits import launch_violations
from .measured import CoRunSide, Measured, MeasuredComposition, MeasuredCoRun, MeasuredRun
from .measurement import MeasuredClocks, MeasuredLaunch, Measurement
from .no_evidence import REFUSED_SAMPLES
from .partitions import partition_violations
from .project import OutsideRoot, Project, project_in, project_of
from .record import SIMULATED_HARDWARE, Evidence, Provenance, Record, Records, Statistic
from .recorded import Asked, RecordAt, Recorded, asked_calls, is_launchable, key_of
from .residency import CoResidency, co_residency
from .rules import RULES
from .spec import BudgetPair, Edge, GroupRole, GroupSpec, Interleave, Objective, OutsideTime, Publication, Spec, StreamSchedule
from .study import Study, load_study
from .unmeasured import Unmeasured
from .violations import Violation

__all__ = [
    "KINDS",
    "LARGEST_FILE_BYTES",
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
    "Contract",
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
    "Interleave",
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
    "Role",
    "Rule",
    "RuleKind",
    "Severity",
    "Source",
    "Spec",
    "Statistic",
    "Storage",
    "StreamSchedule",
    "Study",
    "Synchronization",
    "UnknownDevice",
    "Unmeasured",
    "UnreadableFile",
    "Violation",
    "asked_calls",
    "check_paths",
    "check_spec",
    "co_residency",
    "differences",
    "is_launchable",
    "key_of",
    "keys_of",
    "launch_figures",
    "launch_violations",
    "load_spec",
    "load_study",
    "partition_violations",
    "project_in",
    "project_of",
    "read_document",
    "shipped_specs",
]
