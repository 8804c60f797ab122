"""Times and scores for the table of published figures: of shipped specs, under sizes of our choice."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from megasolve.contracts import PS_PER_MS, PS_PER_US, Constraints, Document, MegasolveError, Study, load_spec, shipped_specs
from megasolve.simulate.expand.setup import Mechanisms
from megasolve.solver import Cache, Derivation, cache_folder, solve
from megasolve.solver.evidence.derived import Derived
from megasolve.solver.evidence.tile_times import call_of, derive

TODAY, AS_STATED = Mechanisms(), Mechanisms().without("library")
"""Products of graphs in tiles of libraries, and in the one tile that each contract states beside them: what the table said before."""


class NoTime(MegasolveError):
    """A figure of the table for which a shipped spec gives no time."""


def kept(mechanisms: Mechanisms = TODAY) -> Derivation:
    """Return how times are derived here: as `megasolve solve` does, with its cache."""
    return Derivation(mechanisms, Cache(cache_folder(os.environ)))


def shipped_study(name: str, device: str | None = None, symbols: Mapping[str, int] | None = None) -> Study:
    """Return the study of a shipped spec, on another *device* or with other *symbols* where they are given."""
    study = load_spec(shipped_specs() / f"{name}.yaml", device=device)
    return study if symbols is None else changed(study, symbols={**study.spec.value.symbols, **symbols})


def changed(study: Study, **keys: object) -> Study:
    """Return *study* with other values of keys of its spec."""
    spec = study.spec
    return replace(study, spec=Document(spec.file, spec.value.model_copy(update=keys), spec.places))


def repeated(study: Study, times: int) -> Study:
    """Return *study* with *times* repeats of its only block."""
    (block,) = study.spec.value.repeats
    return changed(study, repeats=(block.model_copy(update={"times": times}),))


def score_ms(
    study: Study, candidate: str, *, batch: int = 1, entries: Mapping[str, str] | None = None, objective: str | None = None
) -> float:
    """Return the score of *candidate* in milliseconds, its groups run by *entries* (or implementations) where they are given."""
    asked = study if entries is None else changed(study, constraints=Constraints(entries=dict(entries)))
    (result,) = solve(asked, batches=[batch], objective=objective).results
    return next(float(row.score_ps) for row in result.ranking if row.id == candidate) / PS_PER_MS


def derived_us(
    study: Study,
    entry: str,
    group: str,
    *,
    batch: int,
    shapes: Mapping[str, int] | None = None,
    workers: int | None = None,
    mechanisms: Mechanisms = TODAY,
) -> float:
    """Return the derived time of one call of *group* in *entry*, with the gaps before the kernels of a graph, and their ramps.

    *workers* confines the call to so many SMs; by default it has those of the entry's largest budget, or of the device.

    Raises
    ------
    NoTime
        The contract's program gives none.
    """
    contract = next(one.value for one in study.contracts if one.value.entry == entry)
    budget_ctas = contract.budgets[0] if contract.backend == "megakernel" else study.device.value.usable_sms
    call = call_of(study, contract, group, budget_ctas=budget_ctas, batch=batch, shapes=shapes or {})
    found = derive(call if workers is None else replace(call, workers=workers), mechanisms)
    if not isinstance(found, Derived):
        raise NoTime(f"{entry}, {group}: {found.reason}")
    dispatch = contract.dispatch
    gaps_ps = contract.kernels * ((dispatch.gap_ps or 0) + (dispatch.ramp_ps or 0)) if dispatch.kind == "graph" else 0
    return (found.duration_ps + gaps_ps) / PS_PER_US
