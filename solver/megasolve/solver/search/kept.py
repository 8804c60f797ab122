"""What pruning keeps, and what it says where the solver fails."""

from __future__ import annotations

from megasolve.contracts import MegasolveError
from megasolve.simulate.plan.candidate import Candidate

from .predicates import Variant

Kept = dict[Candidate, list[Variant]]


class SolverFault(MegasolveError):
    """The solver failed or contradicts the predicates: a fault to report, never an answer."""
