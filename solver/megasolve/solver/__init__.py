"""What to choose: covers, policies, the OR-Tools model, exact selection and its explanation."""

from .candidates import Candidate, Choice, candidates
from .causes import EXCLUSION_RULES, Cause
from .compose import Composed, Usage
from .covers import Backend, Cover, Region, covers
from .evidence import Evidence, Key, NoEvidence, RecordUse
from .explain import Explanation, GroupShare, UnknownCandidate, WhyNot, explain
from .model import SolverFault, prune
from .needs import Need, Question
from .policies import Policy, policies
from .predicates import Judge, Variant
from .result import BatchResult, Excluded, Ranked, Result
from .selection import solve

__all__ = [
    "EXCLUSION_RULES",
    "Backend",
    "BatchResult",
    "Candidate",
    "Cause",
    "Choice",
    "Composed",
    "Cover",
    "Evidence",
    "Excluded",
    "Explanation",
    "GroupShare",
    "Judge",
    "Key",
    "Need",
    "NoEvidence",
    "Policy",
    "Question",
    "Ranked",
    "RecordUse",
    "Region",
    "Result",
    "SolverFault",
    "UnknownCandidate",
    "Usage",
    "Variant",
    "WhyNot",
    "candidates",
    "covers",
    "explain",
    "policies",
    "prune",
    "solve",
]
