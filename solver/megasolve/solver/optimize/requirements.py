"""Requirements: what users ask of all choices together, stated on the literals of the model that bounds."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from ..goals.constraint import Alone, Constraint, Needs, Total, names_of
from ..search.model import hold
from .bounding import Bounding
from .space.arcs import Arc


def require(model: Bounding, constraints: Iterable[Constraint]) -> None:
    """State every constraint on several choices; those on one choice are kept by the arcs."""
    arcs = list(model.arcs)
    for one in constraints:
        if isinstance(one, Total):
            hold(model.model, one, [(one.total(arc.choices), literal) for arc, literal in arcs])
        elif isinstance(one, Needs):
            needed = [literal for arc, literal in arcs if _has(arc, one.needs)]
            for literal in (literal for arc, literal in arcs if _has(arc, one.entry)):
                model.model.add_bool_or([literal.negated(), *needed])
        elif isinstance(one, Alone):
            for first, second in combinations(one.entries, 2):
                for arc, literal in arcs:
                    others = [other for meets, other in arcs if _has(meets, second)] if _has(arc, first) else []
                    for other in others:
                        model.model.add_bool_or([literal.negated(), other.negated()])


def _has(arc: Arc, name: str) -> bool:
    return any(name in names_of(choice) for choice in arc.choices)
