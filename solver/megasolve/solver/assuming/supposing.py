"""Evidence in which some entries take what is supposed of them, and all others what is known."""

from __future__ import annotations

from collections.abc import Callable

from megasolve.contracts import Contract, Document, Key, Provenance, Record, Study

from ..evidence.lookup import Evidence, NoEvidence, RecordUse
from .records import assumed_record

SUPPOSED = Provenance(kind="assumed", source="a time that is tried")


class Supposing(Evidence):
    """What is *known*, and beside it the records of calls of one *entry*, which whoever tries times says."""

    def __init__(self, study: Study, known: Evidence, entry: str) -> None:
        super().__init__(study, known.derivation)
        self.known = known
        self.entry = entry
        self.record_of: Callable[[Key], Record] = supposed

    def find(self, key: Key, contract: Document[Contract] | None = None) -> RecordUse | NoEvidence:
        """Return what a call of the entry is supposed to take, else what is known."""
        if key.entry != self.entry or contract is None:
            return self.known.find(key, contract)
        return RecordUse(self.record_of(key), contract, ())


def supposed(key: Key, time_ps: int = 1, hbm_bytes: int | None = None) -> Record:
    """Return the record of a call that is supposed to take *time_ps*; by default as little as a call can."""
    return assumed_record(key, time_ps, SUPPOSED, hbm_bytes)
