"""Rules for a measured file: runs that say what they are of, and times that can be believed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...files.documents import Document
from ...files.study import Study
from ...model.closest import nearest
from ...model.contract import Contract
from ...model.findings import Fault, Severity
from ...model.measured import CoRunSide, Measured, MeasuredComposition, MeasuredCoRun, MeasuredRun, blocks_of
from ...model.rules import rule
from ...model.wording import KeyPath, counted
from ..subjects import MEASURED, STUDY, Placed
from .wording import listed

At = tuple[Document[Measured], int, MeasuredRun]


@rule("MEA-01", "run-unclear", "A run is of a composition or of a co-run, exactly one of the two.", on=MEASURED)
def run_unclear(measured: Measured) -> Iterator[Fault]:
    """A run without a subject says nothing, and one with two says it of neither."""
    for index, run in enumerate(measured.runs):
        if run.composition is not None and run.co_run is not None:
            message = "composition and co_run in one run; exactly one of the two: write a run for each"
            yield Fault(run_unclear, ("runs", index, "co_run"), message, at_key=True)
        if run.composition is None and run.co_run is None:
            yield Fault(run_unclear, ("runs", index), "a run of nothing; give composition or co_run, exactly one of the two")


@rule("MEA-02", "times-unclear", "A run that qualified has times; one that did not has none and says why.", on=MEASURED)
def times_unclear(measured: Measured) -> Iterator[Fault]:
    """A design that computes something else has no time, and a missing time must not look like a good one."""
    for index, run in enumerate(measured.runs):
        if not run.qualified and run.because is None:
            yield Fault(times_unclear, ("runs", index, "qualified"), "did not qualify, without a reason; say why in because")
        for path, times in run.times.items():
            if run.qualified and not times:
                yield Fault(times_unclear, ("runs", index, *path), f"qualified, but {path[-1]} is empty; give the times, or remove the run")
            if times and not run.qualified:
                message = f"{counted(len(times), 'time')} of a run that did not qualify; remove {path[-1]}: its design is another one"
                yield Fault(times_unclear, ("runs", index, *path), message, at_key=True)
        if run.composition is not None:
            yield from (Fault(times_unclear, ("runs", index, "composition", *path), said) for path, said in _unequal(run.composition))


def _unequal(ran: MeasuredComposition) -> Iterator[tuple[KeyPath, str]]:
    """Yield where the lists of a composition are not of the same blocks."""
    if ran.samples_ps and ran.blocks_ps and len(ran.samples_ps) != len(ran.blocks_ps):
        samples, blocks = counted(len(ran.samples_ps), "sample"), counted(len(ran.blocks_ps), "block")
        yield ("blocks_us",), f"{blocks} beside {samples}; samples_us has one from each block, or leave it out"
    for index, part in enumerate(ran.groups):
        if len(blocks_of(part)) != len(blocks_of(ran)):
            own, whole = counted(len(blocks_of(part)), "block"), len(blocks_of(ran))
            yield ("groups", index), f"{own} of group {part.group} beside {whole:,} of the whole; give the times of the same blocks"


@rule("MEA-03", "places-unclear", "Each sample of a composition has its place in its block.", on=MEASURED)
def places_unclear(measured: Measured) -> Iterator[Fault]:
    """Whether the order was balanced can only be seen from the places."""
    for index, run in enumerate(measured.runs):
        ran = run.composition
        # Several times of a block need not have come one behind the other.
        if ran is not None and not ran.blocks_ps and len(ran.places) != len(ran.samples_ps):
            message = f"{counted(len(ran.places), 'place')} for {counted(len(ran.samples_ps), 'sample')}; one for each, from 1"
            yield Fault(places_unclear, ("runs", index, "composition", "places"), message)


@rule("MEA-04", "not-co-resident", "Times beside each other are of CTAs that met, on SMs of their own.", on=MEASURED)
def not_co_resident(measured: Measured) -> Iterator[Fault]:
    """Sides that ran one after the other, or shared an SM, show something else than a split does."""
    for index, run in enumerate(measured.runs):
        if run.qualified and run.co_run is not None and (why := _apart(run.co_run)):
            yield Fault(not_co_resident, ("runs", index, "co_run"), f"{why}; such a run did not qualify", at_key=True)


def _apart(ran: MeasuredCoRun) -> str:
    if ran.met_ctas != ran.wanted_ctas:
        if ran.wanted_ctas is None or ran.met_ctas is None:
            given, other = ("met_ctas", "wanted_ctas") if ran.wanted_ctas is None else ("wanted_ctas", "met_ctas")
            return f"{given} without {other}; how many met is said of how many should"
        return f"{ran.met_ctas:,} of {counted(ran.wanted_ctas, 'CTA')} met"
    shared = sorted(set(ran.producer.sms) & set(ran.consumer.sms))
    if shared:
        return f"both sides ran on SM {listed(shared)}"
    for name, side in (("producer", ran.producer), ("consumer", ran.consumer)):
        # Of a pair that was not counted nobody knows the SMs; where they are known, they are those of all CTAs.
        is_counted = ran.wanted_ctas is not None or side.sms
        if is_counted and side.ctas is not None and len(side.sms) != side.ctas:
            return f"the {name} has {counted(side.ctas, 'CTA')}, and {counted(len(side.sms), 'SM')} for them"
    return ""


@rule(
    "MEA-05",
    "run-by-nobody",
    "A run is measured, and names its tool and its date; one that others published names its source.",
    on=MEASURED,
)
def run_by_nobody(measured: Measured) -> Iterator[Fault]:
    """A run that cannot be repeated is a claim: it needs at least a tool and a day. What others published is called so where it judges."""
    for index, run in enumerate(measured.runs):
        missing = [key for key in ("tool", "date") if getattr(run.provenance, key) is None]
        if run.provenance.kind == "published":
            continue
        if run.provenance.kind != "measured":
            message = f"{run.provenance.kind}; only what was measured judges a prediction: remove the run"
            yield Fault(run_by_nobody, ("runs", index, "provenance", "kind"), message)
        elif missing:
            yield Fault(run_by_nobody, ("runs", index, "provenance"), f"no {' and no '.join(missing)}; add them to provenance", at_key=True)


@rule("MEA-06", "run-on-stand-in", "A run on a stand-in for the hardware judges no prediction.", on=MEASURED)
def run_on_stand_in(measured: Measured) -> Iterator[Fault]:
    """A stand-in shows that a program works, never how long the hardware takes."""
    for index, run in enumerate(measured.runs):
        if run.provenance.fake:
            message = "run on a stand-in for the hardware: its times are those of a virtual clock; measure on the device itself"
            yield Fault(run_on_stand_in, ("runs", index, "provenance", "fake"), message, severity=Severity.WARNING)


@rule("MEA-07", "run-unknown", "What a spec shows as measured is of its own groups and entries.", on=STUDY)
def run_unknown(study: Study) -> Iterator[Placed]:
    """A run of a misspelt group or entry would stand beside nothing, without a word."""
    known = {contract.value.entry: contract.value for contract in study.all_contracts}
    for file, index, run in _runs_beside(study):
        for path, entry in _entries_of(run):
            if entry not in known:
                message = f"no contract of this spec declares entry '{entry}'{nearest(entry, known)}"
                yield file, Fault(run_unknown, ("runs", index, *path), message)
        for name, side in _sides(run):
            at = ("runs", index, "co_run", name)
            faults = (*_strange(study, name, side), *(_unfit(side, known) if known.keys() >= {*side.entries} else ()))
            yield from ((file, Fault(run_unknown, (*at, *path), said)) for path, said in faults)


def _strange(study: Study, name: str, side: CoRunSide) -> Iterator[tuple[KeyPath, str]]:
    """Yield the groups of a side that the spec does not have on it."""
    roles = {group.name: group.role for group in study.spec.value.groups}
    for place, group in enumerate(side.groups):
        if group not in roles:
            yield ("groups", place), f"'{group}' is no group of spec '{study.spec.value.name}'{nearest(group, roles)}"
        elif roles[group] != name:
            here = [one for one, role in roles.items() if role == name]
            yield ("groups", place), f"'{group}' is no {name} but {roles[group]}; the groups of this side: {listed(here) or 'none'}"


def _unfit(side: CoRunSide, known: Mapping[str, Contract]) -> Iterator[tuple[KeyPath, str]]:
    """Yield what a side and the contracts of its entries say against each other."""
    contracts = [known[entry] for entry in side.entries]
    for place, contract in enumerate(contracts):
        if contract.backend != side.backend:
            message = f"'{contract.entry}' is a {contract.backend} entry, the side says {side.backend}; correct one of the two"
            yield ("entries", place), message
    run = {member for contract in contracts for member in contract.members}
    missing = [group for group in side.groups if group not in run]
    if missing:
        yield ("entries",), f"none of {listed(side.entries)} runs {listed(missing)}; name the entries of all groups"


@rule("MEA-08", "run-elsewhere", "What a spec shows as measured is of a batch, the precision and a device of the spec.", on=STUDY)
def run_elsewhere(study: Study) -> Iterator[Placed]:
    """A run of another batch, precision or device is not wrong, only shown nowhere."""
    spec, devices = study.spec.value, [one.value.name for one in (study.device, *study.other_devices)]
    for file, index, run in _runs_beside(study):
        asked = (("batch", run.batch, spec.batches), ("precision", run.precision, [spec.precision]), ("device", run.device, devices))
        for key, found, allowed in asked:
            if found not in allowed:
                message = f"{key} {found} is none of this spec, so this run is shown nowhere; the spec has {listed(allowed)}"
                yield file, Fault(run_elsewhere, ("runs", index, key), message, severity=Severity.WARNING)


def _runs_beside(study: Study) -> Iterator[At]:
    """Yield the runs that stand beside predictions, each with its file and place."""
    return ((file, index, run) for file in study.measured for index, run in enumerate(file.value.runs))


def _sides(run: MeasuredRun) -> Iterator[tuple[str, CoRunSide]]:
    if run.co_run is not None:
        yield from (("producer", run.co_run.producer), ("consumer", run.co_run.consumer))


def _entries_of(run: MeasuredRun) -> Iterator[tuple[KeyPath, str]]:
    """Yield every entry that ran, with its path."""
    for name, side in _sides(run):
        yield from ((("co_run", name, "entries", place), entry) for place, entry in enumerate(side.entries))
    for region, entries in enumerate(run.composition.entries if run.composition else ()):
        yield from ((("composition", "entries", region, place), entry) for place, entry in enumerate(entries))
