"""Pruning: which candidates and variants no rule forbids, as the OR-Tools model enumerates them.

The model is loaded when it is first asked: what needs no choice, such as the times that a spec lacks, should not wait for OR-Tools.
"""

from __future__ import annotations

import importlib

from .kept import Kept
from .predicates import Judge


def prune(judge: Judge) -> Kept:
    """Return every candidate that breaks no rule with its feasible variants, as CP-SAT enumerates them.

    Raises
    ------
    SolverFault
        If the solver rejects the model or stops before it has enumerated all of it.
    """
    from .model import enumerated

    return enumerated(judge)


def load_model() -> None:
    """Load the model, and OR-Tools with it, for who must not take that for a part of the first question."""
    importlib.import_module(".model", __package__)
