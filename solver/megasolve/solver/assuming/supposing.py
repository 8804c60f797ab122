"""Evidence in which some entries take what is supposed of them, and all others what is known."""

from __future__ import annotations

from collections.abc import Mapping

from megasolve.contracts import Contract, Document, Key, Provenance, Record, Study

from ..evidence.lookup import Evidence, NoEvidence, RecordUse

SUPPOSED = Provenance(kind="assumed", source="a time that is tried")


class Supposing(Evidence):
    """What is *known*, and beside it the times of calls of one *entry*, by group, which whoever tries them sets."""

    def __init__(self, study: Study, known: Evidence, entry: str) -> None:
        super().__init__(study, known.derivation)
        self.known = known
        self.entry = entry
        self.call_ps: Mapping[str, int] = {}

    def find(self, key: Key, contract: Document[Contract] | None = None) -> RecordUse | NoEvidence:
        """Return what a call of the entry is supposed to take, else what is known."""
        if key.entry != self.entry or contract is None:
            return self.known.find(key, contract)
        return RecordUse(_record(key, self.call_ps.get(key.group, 0)), contract, ())


def _record(key: Key, time_ps: int) -> Record:
    # No file holds it, and its time may be nothing.
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
        hbm_bytes=None,
        provenance=SUPPOSED,
    )
