"""The best designs by solving again with other times in the records: slow, and the judge of what is known of designs as functions."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from megasolve.contracts import Study
from megasolve.contracts.fields.named import named_fields
from megasolve.contracts.fields.setting import with_value
from megasolve.simulate import Objective
from megasolve.solver import solve


def best_with(study: Study, times_ps: Mapping[str, int], batch: int, objective: Objective) -> tuple[str, ...]:
    """Return the best designs of *study* where the records at these paths take so many picoseconds."""
    for path, ps in times_ps.items():
        study = with_value(study, path, named_fields(study, path), Decimal(ps).scaleb(-6))
    (result,) = solve(study, batches=[batch], objective=objective).results
    return result.best
