"""Records of calls that nobody made: they stand in no file, and are as valid as what they are made of."""

from __future__ import annotations

from decimal import Decimal

from megasolve.contracts import Key, Provenance, Record


def assumed_record(key: Key, time_ps: int, provenance: Provenance, hbm_bytes: int | None = None, accuracy: Decimal | None = None) -> Record:
    """Return the record of one call with this *key*, which may take no time at all."""
    return Record.model_construct(
        group=key.group,
        backend=key.backend,
        entries=(key.entry,),
        budget_ctas=key.budget_ctas,
        batch=key.batch,
        precision=key.precision,
        device=key.device,
        context=key.context,
        shapes=key.shapes,
        duration_ps=time_ps,
        samples_ps=None,
        hbm_bytes=hbm_bytes,
        accuracy=accuracy,
        provenance=provenance,
    )
