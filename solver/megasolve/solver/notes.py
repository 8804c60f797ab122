"""Notes: what a reader must know before trusting a score, said beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from megasolve.simulate import Sharing

from .candidates import Candidate
from .compose import Composed
from .predicates import Judge, Variant
from .result import Ranked


def assumption_notes(judge: Judge, candidate: Candidate, variant: Variant, composed: Composed) -> tuple[str, ...]:
    """Return what the score of one candidate assumes."""
    return tuple(_assumptions(judge, candidate, variant, composed))


def _assumptions(judge: Judge, candidate: Candidate, variant: Variant, composed: Composed) -> Iterator[str]:
    if composed.assumption:
        yield f"assumes placement: {composed.assumption}"
    if candidate.policy.sharing is Sharing.DYNAMIC and not judge.question.has_tail:
        yield "without producer overlap: no producer step is left when the first chunk is ready (h = r)"
    for choice in variant:
        for contract in choice.contracts:
            if contract.value.launch.unverified:
                yield f"launch limits of '{contract.value.entry}' are not verified: {contract.value.launch.unverified}"


def evidence_notes(ranking: Sequence[Ranked]) -> tuple[str, ...]:
    """Return what the evidence of a whole ranking is, where it is not what a reader would take it for."""
    kinds = {kind for row in ranking for kind in row.evidence}
    if kinds == {"reconstructed"}:
        return ("every record is reconstructed from published totals: this ranking is a regression of the method, not a prediction",)
    if "reconstructed" in kinds:
        return ("some records are reconstructed from published totals: scores that rest on them are not predictions",)
    if kinds == {"published"}:
        return ("every record is a published time of somebody else's run: the score of a single launch is that time, not a prediction",)
    return ()
