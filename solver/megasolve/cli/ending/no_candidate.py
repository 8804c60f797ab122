"""Candidates of which there is nothing to explain or to draw: an answer that is no, and no wrong use."""

from __future__ import annotations

from .refusals import Refusal


class NothingToDraw(Refusal):
    """A candidate that is unknown or excluded, and so runs nothing: an answer like that of `explain`, and no wrong use."""

    exit_code = 1


def refuse_no_best(answer: object, batch: int) -> None:
    """Refuse the word `best`, which came back as an id that nobody knows because no candidate is feasible at *batch*."""
    from megasolve.solver import UnknownCandidate
    from megasolve.solver.timeline.drawn import BEST

    if isinstance(answer, UnknownCandidate) and answer.id == BEST:
        raise NothingToDraw(f"nothing is feasible at batch {batch}, so no candidate is the best; megasolve SPEC says what excludes each")
