"""Rules for a records file alone: one time per record, and a provenance that can be believed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from ....model.findings import Fault
from ....model.record import Records
from ....model.rules import rule
from ...subjects import RECORDS
from ..walking import repeats
from ..wording import listed


@rule("REC-01", "time-unclear", "A record has a duration or samples, exactly one of the two.", on=RECORDS)
def time_unclear(records: Records) -> Iterator[Fault]:
    """Two times in one record contradict each other, none says nothing."""
    for index, record in enumerate(records.records):
        if record.duration_ps is not None and record.samples_ps is not None:
            message = "duration_us and samples_us in one record; exactly one of the two: keep the samples, the time follows from them"
            yield Fault(time_unclear, ("records", index, "duration_us"), message, at_key=True)
        if record.duration_ps is None and record.samples_ps is None:
            yield Fault(time_unclear, ("records", index), "a record without a time; give duration_us or samples_us, exactly one of the two")


@rule("REC-02", "samples-empty", "Samples are at least one.", on=RECORDS)
def samples_empty(records: Records) -> Iterator[Fault]:
    """An empty list has no median."""
    for index, record in enumerate(records.records):
        if record.samples_ps == ():
            yield Fault(samples_empty, ("records", index, "samples_us"), "no sample; give at least one time, or remove the record")


@rule("REC-03", "statistic-of-nothing", "A statistic is taken of samples.", on=RECORDS)
def statistic_of_nothing(records: Records) -> Iterator[Fault]:
    """A duration is one value already; what it is a statistic of belongs into the provenance."""
    for index, record in enumerate(records.records):
        if "statistic" in record.model_fields_set and record.samples_ps is None:
            message = f"statistic '{record.statistic}' without samples_us; give the samples, or say it in provenance.source"
            yield Fault(statistic_of_nothing, ("records", index, "statistic"), message, at_key=True)


@rule("REC-25", "held-by-no-kernel", "Only times of conventional kernels hold ramps or gaps, each said once.", on=RECORDS)
def held_by_no_kernel(records: Records) -> Iterator[Fault]:
    """A megakernel has one launch for all of its calls, so the time of one call holds neither; a part that is held twice is a slip."""
    for index, record in enumerate(records.records):
        if "holds" in record.model_fields_set and record.backend == "megakernel":
            message = "holds in the record of a megakernel, whose calls are launched together; remove it"
            yield Fault(held_by_no_kernel, ("records", index, "holds"), message, at_key=True)
        for place, first in repeats(record.holds):
            message = f"'{record.holds[place]}' is part {first + 1} of the list already; remove one of the two"
            yield Fault(held_by_no_kernel, ("records", index, "holds", place), message)


@rule("REC-04", "measured-by-nobody", "A measurement names its tool and its date.", on=RECORDS)
def measured_by_nobody(records: Records) -> Iterator[Fault]:
    """A measurement that cannot be repeated is a claim: it needs at least a tool and a day."""
    for index, record in enumerate(records.records):
        missing = [key for key in ("tool", "date") if getattr(record.provenance, key) is None]
        if record.provenance.kind == "measured" and missing:
            message = f"measured, but no {' and no '.join(missing)}; add them to provenance, or say 'published' for a figure of others"
            yield Fault(measured_by_nobody, ("records", index, "provenance", "kind"), message)


@rule("REC-05", "fake-measurement", "A run on a stand-in for the hardware is no measurement.", on=RECORDS)
def fake_measurement(records: Records) -> Iterator[Fault]:
    """A stand-in shows that a program works, never how long the hardware takes."""
    for index, record in enumerate(records.records):
        kind = record.provenance.kind
        if record.provenance.fake and kind in ("measured", "profiled"):
            message = f"{kind} on a stand-in for the hardware; take the time on the device itself: a fake run is never evidence"
            yield Fault(fake_measurement, ("records", index, "provenance", "fake"), message)


@rule("REC-06", "co-run-time", "A time taken beside other work is no standalone evidence.", on=RECORDS)
def co_run_time(records: Records) -> Iterator[Fault]:
    """A service time is standalone; what work beside it costs is for the simulation to say."""
    for index, record in enumerate(records.records):
        if record.beside is not None:
            message = f"a time taken beside '{record.beside}'; a service record is standalone: measure the call alone on the same budget"
            yield Fault(co_run_time, ("records", index, "beside"), message, at_key=True)


@rule("REC-07", "date-impossible", "A date is a day of the calendar.", on=RECORDS)
def date_impossible(records: Records) -> Iterator[Fault]:
    """2026-02-30 has the form of a date and is none."""
    for index, record in enumerate(records.records):
        day = record.provenance.date
        if day is not None and not _is_day(day):
            message = f"'{day}' is no day of the calendar; write year-month-day, as 2026-02-28"
            yield Fault(date_impossible, ("records", index, "provenance", "date"), message)


@rule("REC-08", "record-entry-repeated", "A record names each of its entries once.", on=RECORDS)
def record_entry_repeated(records: Records) -> Iterator[Fault]:
    """Naming an entry twice adds nothing; often another one was meant."""
    for index, record in enumerate(records.records):
        for second, first in repeats(record.entries):
            message = f"'{record.entries[second]}' is entry {first + 1} already; remove one of the two: {listed(record.entries)}"
            yield Fault(record_entry_repeated, ("records", index, "entries", second), message)


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
