"""What a search says of a space that it did not rank: how large it is, what was looked at, what is proven, and what rules exclude."""

from __future__ import annotations

from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..text.numbers import percent, unit_of
from ..text.paint import PLAIN, Paint
from ..text.short_ids import short_id
from ..text.tables import one_line
from .exclusions import by_cause

if TYPE_CHECKING:
    from megasolve.contracts import Json, JsonObject
    from megasolve.solver import BatchResult, ExcludedBy, Searched, State


def space_lines(batch: BatchResult) -> list[str]:
    """Return how many candidates there are and what became of them; nothing where all are ranked."""
    known = batch.searched
    if known is None:
        return []
    of = f"{counted(batch.candidates, 'candidate')} ({counted(batch.variants, 'variant')}), from {counted(batch.covers, 'cover')}"
    left = "left out by the bound" if known.is_proven else "left"
    parts = f"{known.simulated:,} simulated, {known.bounded:,} {left}, {known.excluded:,} excluded"
    return [
        f"{counted(len(batch.ranking), 'design')} of {of}: {parts}",
        proof_line(known) if batch.ranking or not known.is_proven else "proven: no design keeps to what is asked",
    ]


def proof_line(known: Searched) -> str:
    """Return whether the designs are proven to be the best or, where they are not, what could be better by how much."""
    if known.is_proven:
        return "proven: no other design is better than these"
    if known.gap is None:
        return "not proven: the search ended before it found a design"
    left = "the first is the best" if not known.gap else f"another design may be better than the first by up to {percent(known.gap)}"
    return f"not proven: the search ended early; {left}" + (", and the others may not be the next" if not known.gap else "")


def state_line(state: State) -> str:
    """Return how far a search is, as one line of at most 100 columns."""
    if state.best_ps is None:
        return f"searching: {state.simulated:,} simulated, {state.seconds:.1f} s"
    unit = unit_of(state.best_ps)
    bound = "nothing is left" if state.bound_ps is None else f"bound {unit.text(state.bound_ps)}"
    gap = "" if state.gap is None else f", gap {percent(state.gap)}"
    return f"searching: best {unit.text(state.best_ps)}, {bound}{gap}, {state.simulated:,} simulated, {state.seconds:.1f} s"


def tie_line(known: Searched) -> str:
    """Return how many designs tie for the first place."""
    least = "at least " if known.ties.at_least else ""
    return f"tied: {least}{counted(known.ties.designs, 'design')} ({counted(known.ties.candidates, 'candidate')}) have exactly this score"


def excluded_by_lines(batch: BatchResult, paint: Paint = PLAIN) -> list[str]:
    """Return what each rule excludes, counted, with one example each."""
    known = batch.searched
    if known is None or not known.excluded_by:
        return []
    lines = [f"excluded: {known.excluded:,} of {batch.candidates:,} candidates, by cause (one may have several)"]
    for one in known.excluded_by:
        lines.append(f"  {paint.red(one.rule.code)} {one.rule.name}: {counted(one.candidates, 'candidate')}{' so far' * one.so_far}")
        lines.append(f"    for example {short_id(one.example)}: {one_line(one.because)}")
    return lines


def search_facts(batch: BatchResult) -> JsonObject:
    """Return the size of the space and what is proven of it, for JSON; counts that may pass 2^53 are text."""
    known = batch.searched
    facts: JsonObject = {"space": {"candidates": str(batch.candidates), "variants": str(batch.variants)}}
    if known is None:
        return {
            **facts,
            "simulated": len(batch.ranking),
            "proven": True,
            "gap": 0,
            "ties": _whole_ties(batch),
            "excluded_by": _by_rule(batch),
        }
    ties: dict[str, Json] = {"designs": _count(known.ties.designs), "candidates": _count(known.ties.candidates)}
    return {
        **facts,
        "simulated": known.simulated,
        "bounded": str(known.bounded),
        "proven": known.is_proven,
        "gap": _gap(known),
        "ties": ties | ({"at_least": True} if known.ties.at_least else {}),
        "excluded_by": list(map(_rule_facts, known.excluded_by)),
    }


def _rule_facts(one: ExcludedBy) -> JsonObject:
    facts = {"rule": one.rule.code, "candidates": _count(one.candidates), "example": one.example, "because": one.because}
    return facts | ({"so_far": True} if one.so_far else {})


def _gap(known: Searched) -> float | int | None:
    if known.is_proven or known.gap == 0:
        return 0
    # Rounded up: what is stated is never less than what is left.
    return None if known.gap is None else -(-known.gap.numerator * 10**9 // known.gap.denominator) / 10**9


def _count(number: int) -> int | str:
    """Return a count as a number; as text where readers of JSON would round it."""
    return number if number <= 2**53 else str(number)


def _whole_ties(batch: BatchResult) -> dict[str, int]:
    tied = [row for row in batch.ranking if row.score_ps == batch.ranking[0].score_ps]
    return {"designs": sum(row.same_as is None for row in tied), "candidates": len(tied)}


def _by_rule(batch: BatchResult) -> list[JsonObject]:
    groups = by_cause(batch.excluded)
    return [
        {"rule": group.rule.code, "candidates": len(group.ids), "example": group.ids[0], "because": group.facts[0][0]} for group in groups
    ]
