"""A study of what was measured alone."""

from __future__ import annotations

from dataclasses import replace

from megasolve.contracts import Contract, Document, Place, Records, Study

MEASURED = ("measured", "profiled")


def first_assumed(study: Study) -> Place | None:
    """Return where something is assumed first: in the spec, else in its records; None where nothing is."""
    if study.spec.value.assume:
        return study.spec.place(("assume", 0))
    for document in study.records:
        for index, record in enumerate(document.value.records):
            if record.provenance.kind == "assumed":
                return document.place(("records", index))
    return None


def measured_of(study: Study) -> Study:
    """Return *study* with records that were measured or profiled, and without programs, from which times are derived."""
    return replace(study, contracts=tuple(map(_bare, study.contracts)), records=tuple(map(_measured, study.records)))


def _bare(document: Document[Contract]) -> Document[Contract]:
    return replace(document, value=document.value.model_copy(update={"programs": {}}))


def _measured(document: Document[Records]) -> Document[Records]:
    kept = tuple(record for record in document.value.records if record.provenance.kind in MEASURED)
    return replace(document, value=document.value.model_copy(update={"records": kept}))
