"""From what a spec and the command line say to the constraints that every plan must keep, in the order in which they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from megasolve.contracts import Constraints, Study
from megasolve.contracts.model.wording import path_text
from megasolve.simulate import Objective
from megasolve.simulate.plan.cause import TOO_MANY_MEGAKERNELS, TOO_MANY_NEW, WORKSPACE_TOO_LARGE

from .constraint import Alone, Apart, Constraint, Conventional, Given, Limit, Needs, Together, Total

SPEC = "constraints"
Keyed = Iterator[tuple[tuple[str | int, ...], Callable[[str], Constraint]]]


@dataclass(frozen=True, slots=True)
class Where:
    """Constraints that the command line states, with the words that did."""

    words: str
    said: Constraints


def stated_constraints(study: Study, where: Sequence[Where] = ()) -> tuple[Constraint, ...]:
    """Return the constraints of the spec of *study*, as they stand in its file, then those of *where* in the order given."""
    spec = study.spec
    in_file = sorted(_keyed(study, spec.value.constraints), key=lambda pair: spec.place((SPEC, *pair[0])))
    stated = [made(path_text((SPEC, *path)).removeprefix("$.")) for path, made in in_file]
    return (*stated, *(made(one.words) for one in where for _, made in _keyed(study, one.said)))


def _keyed(study: Study, said: Constraints) -> Keyed:
    yield from _totals(study, said)
    yield from _of_groups(said)
    yield from _of_entries(said)
    yield from _limits(said)


def _totals(study: Study, said: Constraints) -> Keyed:
    if said.megakernels is not None:
        yield ("megakernels",), partial(Total, rule=TOO_MANY_MEGAKERNELS, at_most=said.megakernels.at_most, unit="megakernels")
    if said.new_megakernels is not None:
        made = partial(Total, rule=TOO_MANY_NEW, at_most=said.new_megakernels.at_most, unit="megakernels that nobody measured")
        yield ("new_megakernels",), partial(made, free=_measured_entries(study))
    if said.workspace_bytes is not None:
        yield ("workspace_bytes",), partial(Total, rule=WORKSPACE_TOO_LARGE, at_most=said.workspace_bytes, unit="bytes of workspace")


def _measured_entries(study: Study) -> frozenset[str]:
    """Return the entries with a record that was measured on hardware."""
    records = (record for document in study.records for record in document.value.records)
    return frozenset(entry for one in records if one.provenance.kind == "measured" and not one.provenance.fake for entry in one.entries)


def _of_groups(said: Constraints) -> Keyed:
    for index, group in enumerate(said.conventional):
        yield ("conventional", index), partial(Conventional, group=group)
    for group, entry in said.entries.items():
        yield ("entries", group), partial(Given, group=group, entry=entry)
    for index, groups in enumerate(said.together):
        yield ("together", index), partial(Together, groups=groups)
    for index, groups in enumerate(said.apart):
        yield ("apart", index), partial(Apart, groups=groups)


def _of_entries(said: Constraints) -> Keyed:
    for index, one in enumerate(said.requires):
        yield ("requires", index), partial(Needs, entry=one.entry, needs=one.needs)
    for index, entries in enumerate(said.excludes):
        # An entry that is named twice does not meet itself.
        yield ("excludes", index), partial(Alone, entries=tuple(dict.fromkeys(entries)))


def _limits(said: Constraints) -> Keyed:
    for objective, at_most_ps in said.limited.items():
        yield ("limits", f"{objective}_us"), partial(Limit, objective=Objective(objective), at_most_ps=at_most_ps)
