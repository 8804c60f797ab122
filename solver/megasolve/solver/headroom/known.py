"""What is known today: a study without what is only assumed."""

from __future__ import annotations

from dataclasses import replace

from megasolve.contracts import Document, Records, Study


def has_assumed(study: Study) -> bool:
    """Whether some record of *study* is assumed."""
    return any(record.provenance.kind == "assumed" for document in study.records for record in document.value.records)


def today_of(study: Study) -> Study:
    """Return *study* without assumed records."""
    return replace(study, records=tuple(map(_known, study.records))) if has_assumed(study) else study


def _known(document: Document[Records]) -> Document[Records]:
    known = tuple(record for record in document.value.records if record.provenance.kind != "assumed")
    return replace(document, value=document.value.model_copy(update={"records": known}))
