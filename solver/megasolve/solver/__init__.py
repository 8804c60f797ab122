"""What to choose: covers, policies, the OR-Tools model, exact selection and its explanation."""

from .asking import SpaceTooLarge, UnknownBatch, UnknownName, refuse_huge_space
from .cache import Cache, cache_folder
from .candidates import Candidate, Choice, candidates, choices
from .causes import EXCLUSION_RULES, Cause
from .compose import Composed, Usage
from .covers import Backend, Cover, Region, covers
from .derivation import Derivation
from .derived import Calibration, Derived, NotDerived
from .entry_standing import EntryStanding, LeftOut
from .evidence import Evidence, NoEvidence, RecordUse
from .explain import Explanation, GroupShare, UnknownCandidate, WhyNot, explain
from .fitting import Fitting
from .kept import SolverFault
from .kernels import KernelShare, RegionShare
from .needs import ImpossibleObjective, Need, Question
from .policies import Policy, policies
from .predicates import Judge, Variant
from .pruning import prune
from .result import BatchResult, Excluded, Ranked, Result
from .rivals import DroppedVariant, ScoredVariant
from .selection import solve
from .service_table import Bound, ServiceRow, ServiceTable, service_table
from .steps import Steps
from .variants import refuse_many_variants

__all__ = [
    "EXCLUSION_RULES",
    "Backend",
    "BatchResult",
    "Bound",
    "Cache",
    "Calibration",
    "Candidate",
    "Cause",
    "Choice",
    "Composed",
    "Cover",
    "Derivation",
    "Derived",
    "DroppedVariant",
    "EntryStanding",
    "Evidence",
    "Excluded",
    "Explanation",
    "Fitting",
    "GroupShare",
    "ImpossibleObjective",
    "Judge",
    "KernelShare",
    "LeftOut",
    "Need",
    "NoEvidence",
    "NotDerived",
    "Policy",
    "Question",
    "Ranked",
    "RecordUse",
    "Region",
    "RegionShare",
    "Result",
    "ScoredVariant",
    "ServiceRow",
    "ServiceTable",
    "SolverFault",
    "SpaceTooLarge",
    "Steps",
    "UnknownBatch",
    "UnknownCandidate",
    "UnknownName",
    "Usage",
    "Variant",
    "WhyNot",
    "cache_folder",
    "candidates",
    "choices",
    "covers",
    "explain",
    "policies",
    "prune",
    "refuse_huge_space",
    "refuse_many_variants",
    "service_table",
    "solve",
]
