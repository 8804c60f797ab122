"""Candidates that are asked for by their ids, as a device can run them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from megasolve.contracts import MegasolveError, Study
from megasolve.contracts.measuring.runs import ExcludedRun
from megasolve.contracts.model.closest import closest_few
from megasolve.simulate.plan.budgets import planned_spec
from megasolve.simulate.plan.candidate import Choice, candidates, choices
from megasolve.simulate.plan.cause import NO_RECORD, UNKNOWN_BYTES
from megasolve.simulate.plan.runnable import RunnableCandidate, runnable

from ..evidence.derivation import Derivation
from ..select.result import BatchResult, Excluded, Ranked
from .solving import Effort, solve

_NEAREST = 3


class NoSuchCandidate(MegasolveError):
    """An id that is none of the spec's; the message names the nearest ones."""

    def __init__(self, name: str, nearest: Sequence[str]) -> None:
        super().__init__(f"{name} is none of the spec's; the nearest are {', '.join(nearest)}")


@dataclass(frozen=True, slots=True)
class RunnableCandidates:
    """The candidates that can run, by batch, in the entries of their best variant, and why others are *excluded*."""

    by_batch: Mapping[int, tuple[RunnableCandidate, ...]]
    excluded: tuple[ExcludedRun, ...] = ()


def runnable_candidates(study: Study, ids: Sequence[str], batches: Sequence[int], derivation: Derivation) -> RunnableCandidates:
    """Return the candidates of *ids*, each once, at each of *batches*.

    A candidate that lacks nothing but times runs as well where there is one way to run it: a whole run needs no time of its parts.

    Raises
    ------
    NoSuchCandidate
        The spec has no candidate of an id.
    """
    names = tuple(dict.fromkeys(ids))
    if not names:
        return RunnableCandidates({})
    _refuse_unknown(study, names)
    chosen: dict[int, tuple[RunnableCandidate, ...]] = {}
    excluded: list[ExcludedRun] = []
    # Whoever asks for some candidates wants to know of each where it stands.
    whole = solve(study, batches=batches, objective="first_publication", derivation=derivation, effort=Effort(whole=True))
    for result in whole.results:
        found = {row.id: _runnable(study, row) for row in result.ranking if row.id in names}
        found |= {row.id: only for row in result.excluded if row.id in names and (only := _only_untimed(study, row)) is not None}
        if kept := tuple(found[name] for name in names if name in found):
            chosen[result.batch] = kept
        excluded += [_excluded(result, name) for name in names if name not in found]
    return RunnableCandidates(chosen, tuple(excluded))


def with_entries(study: Study, entries: Sequence[str]) -> Study:
    """Return *study* without further megakernels for the groups of one of *entries*."""
    megakernels = [document.value for document in study.contracts if document.value.backend == "megakernel"]
    taken = {contract.members for contract in megakernels if contract.entry in entries}
    others = {contract.entry for contract in megakernels if contract.members in taken and contract.entry not in entries}
    return replace(study, contracts=tuple(document for document in study.contracts if document.value.entry not in others))


def _refuse_unknown(study: Study, names: Sequence[str]) -> None:
    known = [str(candidate) for candidate in candidates(planned_spec(study))]
    for name in names:
        if name not in known:
            raise NoSuchCandidate(name, closest_few(name, known, _NEAREST))


def _runnable(study: Study, row: Ranked) -> RunnableCandidate:
    pairs = zip(row.candidate.cover.regions, row.entries, strict=True)
    chosen: tuple[Choice, ...] = tuple(next(one for one in choices(study, region) if str(one) == wanted) for region, wanted in pairs)
    return runnable(row.candidate, chosen)


def _only_untimed(study: Study, row: Excluded) -> RunnableCandidate | None:
    """Return the only way to run a candidate that lacks nothing but times; None where there is more to it."""
    if any(cause.rule not in (NO_RECORD, UNKNOWN_BYTES) for cause in row.causes):
        return None
    ways = [choices(study, region) for region in row.candidate.cover.regions]
    # Of several, only times could say which is the best.
    return runnable(row.candidate, tuple(one for (one,) in ways)) if all(len(way) == 1 for way in ways) else None


def _excluded(result: BatchResult, name: str) -> ExcludedRun:
    row = next(row for row in result.excluded if row.id == name)
    because = "; ".join(dict.fromkeys(f"{cause.rule.code} {cause.because}" for cause in row.causes))
    return ExcludedRun(name, result.batch, because)
