"""What to choose: covers, policies, the OR-Tools model, exact selection and its explanation."""

from typing import TYPE_CHECKING

from megasolve.contracts.doors import open_door as _open_door

if TYPE_CHECKING:
    from megasolve.contracts import UnknownBatch
    from megasolve.simulate.plan.candidate import Candidate, Choice, candidates, choices
    from megasolve.simulate.plan.cause import EXCLUSION_RULES, Cause
    from megasolve.simulate.plan.cover import Backend, Cover, Region
    from megasolve.simulate.plan.covers import covers, covers_of
    from megasolve.simulate.plan.need import ImpossibleObjective, Need, Question
    from megasolve.simulate.plan.policy import Policy, policies
    from megasolve.simulate.plan.region_graph import RegionGraph, region_graph

    from .crossings.crossings import crossings, first_crossing
    from .crossings.sounding import Crossing, Sounding
    from .evaluate.case import Case, GroupError, JudgedDesign
    from .evaluate.evaluating import Judgement, evaluate
    from .evaluate.evaluation import Evaluation
    from .evaluate.forecasts.changes import InputChange, changes_since
    from .evaluate.forecasts.forecasting import FrozenPlans
    from .evaluate.forecasts.frozen_plan import FrozenPlan, UnusablePlan, plan_of_text, read_plan
    from .evaluate.forecasts.living import Scoring
    from .evaluate.pool import Contender
    from .evaluate.ratio import Ratio
    from .evaluate.statistic import Statistic
    from .evidence.asking import SpaceTooLarge, TooManyTimes, UnknownName, refuse_huge_space
    from .evidence.cache import Cache, cache_folder
    from .evidence.derivation import Derivation, Stage
    from .evidence.derived import Calibration, Derived, NotDerived
    from .evidence.lacking import LackingTimes, lacking_times
    from .evidence.lookup import Evidence, NoEvidence, RecordUse
    from .evidence.service_table import Bound, ServiceRow, ServiceTable, service_table
    from .explain.explanation import Explanation, GroupShare, UnknownCandidate, WhyNot, explain
    from .explain.kernels import KernelShare, RegionShare
    from .explain.paid import PaidBySides, PaidSide
    from .explain.picture import Exchange, Picture, PicturedGroup
    from .goals.where import UnusableWhere, stated_where
    from .headroom.baseline import Baseline, NothingToday
    from .headroom.facts.against import Against
    from .headroom.headroom import BatchHeadroom, HeadroomResult, headroom
    from .headroom.looking import Headroom
    from .headroom.ordering.built import Built
    from .headroom.ordering.order import BuildOrder, BuildRow
    from .headroom.ordering.planning import BatchPlan, PlanResult, plan
    from .headroom.regions import region_count
    from .headroom.spent import SpentToday
    from .headroom.supposition import Supposition
    from .optimize.hits import State
    from .optimize.runnables import NoSuchCandidate, runnable_candidates, with_entries
    from .optimize.solving import Effort, solve
    from .optimize.studies.asked import AskedStudies, StudyAnswer, StudyFailure
    from .optimize.studies.solving import solve_studies
    from .optimize.studies.store import Store, UnusableStore, default_store
    from .pool.executor import Executor
    from .pool.pool import ProcessPool
    from .robust.draws import Drawing
    from .robust.flips import Flip
    from .robust.result import CommonFlips, IdChance, NextMeasurement, Robustness, TimeFlips
    from .search.kept import SolverFault
    from .search.predicates import Judge, Variant
    from .search.pruning import prune
    from .search.size import Size, refuse_whole, size_of
    from .search.variants import refuse_many_variants
    from .select.compose import Composed, Usage
    from .select.entry_standing import EntryStanding, LeftOut
    from .select.fitting import Fitting
    from .select.goals.conflict import Conflicting
    from .select.result import BatchResult, Excluded, Interval99, ParetoPoint, QueueInFront, Ranked, Result, ServedDesign, StreamCapacity
    from .select.rivals import DroppedVariant, ScoredVariant
    from .select.searched import ExcludedBy, Searched, Ties
    from .select.steps import Steps
    from .select.stream.findings import PLAN_RULES, PlanFinding
    from .sweep.category import Category, Extent
    from .sweep.planner import How
    from .sweep.result import BatchSweep, Change, FieldChange, FieldPoint, FieldSweep, FieldTurns, Sweep
    from .sweep.saving import RegionSaving, Saving
    from .sweep.sweeping import sweep_batches, sweep_fields
    from .sweep.varying import turns

__all__ = [
    "EXCLUSION_RULES",
    "PLAN_RULES",
    "Against",
    "AskedStudies",
    "Backend",
    "Baseline",
    "BatchHeadroom",
    "BatchPlan",
    "BatchResult",
    "BatchSweep",
    "Bound",
    "BuildOrder",
    "BuildRow",
    "Built",
    "Cache",
    "Calibration",
    "Candidate",
    "Case",
    "Category",
    "Cause",
    "Change",
    "Choice",
    "CommonFlips",
    "Composed",
    "Conflicting",
    "Contender",
    "Cover",
    "Crossing",
    "Derivation",
    "Derived",
    "Drawing",
    "DroppedVariant",
    "Effort",
    "EntryStanding",
    "Evaluation",
    "Evidence",
    "Exchange",
    "Excluded",
    "ExcludedBy",
    "Executor",
    "Explanation",
    "Extent",
    "FieldChange",
    "FieldPoint",
    "FieldSweep",
    "FieldTurns",
    "Fitting",
    "Flip",
    "FrozenPlan",
    "FrozenPlans",
    "GroupError",
    "GroupShare",
    "Headroom",
    "HeadroomResult",
    "How",
    "IdChance",
    "ImpossibleObjective",
    "InputChange",
    "Interval99",
    "Judge",
    "JudgedDesign",
    "Judgement",
    "KernelShare",
    "LackingTimes",
    "LeftOut",
    "Need",
    "NextMeasurement",
    "NoEvidence",
    "NoSuchCandidate",
    "NotDerived",
    "NothingToday",
    "PaidBySides",
    "PaidSide",
    "ParetoPoint",
    "Picture",
    "PicturedGroup",
    "PlanFinding",
    "PlanResult",
    "Policy",
    "ProcessPool",
    "Question",
    "QueueInFront",
    "Ranked",
    "Ratio",
    "RecordUse",
    "Region",
    "RegionGraph",
    "RegionSaving",
    "RegionShare",
    "Result",
    "Robustness",
    "Saving",
    "ScoredVariant",
    "Scoring",
    "Searched",
    "ServedDesign",
    "ServiceRow",
    "ServiceTable",
    "Size",
    "SolverFault",
    "Sounding",
    "SpaceTooLarge",
    "SpentToday",
    "Stage",
    "State",
    "Statistic",
    "Steps",
    "Store",
    "StreamCapacity",
    "StudyAnswer",
    "StudyFailure",
    "Supposition",
    "Sweep",
    "Ties",
    "TimeFlips",
    "TooManyTimes",
    "UnknownBatch",
    "UnknownCandidate",
    "UnknownName",
    "UnusablePlan",
    "UnusableStore",
    "UnusableWhere",
    "Usage",
    "Variant",
    "WhyNot",
    "cache_folder",
    "candidates",
    "changes_since",
    "choices",
    "covers",
    "covers_of",
    "crossings",
    "default_store",
    "evaluate",
    "explain",
    "first_crossing",
    "headroom",
    "lacking_times",
    "plan",
    "plan_of_text",
    "policies",
    "prune",
    "read_plan",
    "refuse_huge_space",
    "refuse_many_variants",
    "refuse_whole",
    "region_count",
    "region_graph",
    "runnable_candidates",
    "service_table",
    "size_of",
    "solve",
    "solve_studies",
    "stated_where",
    "sweep_batches",
    "sweep_fields",
    "turns",
    "with_entries",
]

_open_door(__name__)
