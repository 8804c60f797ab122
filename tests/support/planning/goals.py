"""Constraints judged by what a result says of a plan, its names alone, and random ones for random studies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import TypeVar

from megasolve.contracts import Constraints, Document, Frozen, Study
from megasolve.solver import BatchResult, Ranked
from tests.support.planning.studies import Fields

FileModel = TypeVar("FileModel", bound=Frozen)


@dataclass(frozen=True)
class Plan:
    """One variant of one candidate, as a result shows it: *entries* by region, and its *times* in the order of the objectives."""

    id: str
    entries: tuple[tuple[str, ...], ...]
    times: tuple[int | Fraction, ...]

    @property
    def regions(self) -> list[tuple[str, list[str]]]:
        """Each region's letter and groups."""
        parts = [region.split(":") for region in self.id.split("@")[0].split("/")]
        return [(letter, groups.split("+")) for letter, groups in parts]

    @property
    def used(self) -> set[str]:
        """The names of all compiled entries."""
        return {name for names in self.entries for name in names}


def plans_of(result: BatchResult) -> list[Plan]:
    """Return every plan of *result*, with its times."""
    return [plan for row in result.ranking for plan in _plans(row)]


def _plans(row: Ranked) -> list[Plan]:
    found = [(choices, row.order) for choices in row.tied] + [(one.choices, one.order) for one in row.slower]
    return [Plan(row.id, tuple(choice.entries for choice in choices), order) for choices, order in found]


def keeps(plan: Plan, said: Fields, study: Study) -> bool:
    """Whether *plan* keeps to everything in *said*, read literally."""
    contracts = {document.value.entry: document.value for document in study.contracts}
    megakernels = [(groups, names) for (letter, groups), names in zip(plan.regions, plan.entries, strict=True) if letter == "m"]
    records = [record for document in study.records for record in document.value.records if record.provenance.kind == "measured"]
    new = [names for _, names in megakernels if not any(names[0] in record.entries for record in records)]
    where = {group: index for index, (_, groups) in enumerate(plan.regions) for group in groups}
    verdicts = [
        len(megakernels) <= said.get("megakernels", {"at_most": 99})["at_most"],
        len(new) <= said.get("new_megakernels", {"at_most": 99})["at_most"],
        all(group not in groups for group in said.get("conventional", ()) for groups, _ in megakernels),
        all(
            any(group in contracts[name].members for name in plan.used if name == entry) for group, entry in said.get("entries", {}).items()
        ),
        all(len({where[group] for group in groups}) == 1 for groups in said.get("together", ())),
        all(where[one] != where[other] for groups in said.get("apart", ()) for one, other in combinations(groups, 2)),
        all(one["entry"] not in plan.used or one["needs"] in plan.used for one in said.get("requires", ())),
        all(len(plan.used.intersection(names)) < 2 for names in said.get("excludes", ())),
        sum(contracts[name].workspace_bytes or 0 for name in plan.used) <= said.get("workspace_bytes", 10**9),
    ]
    return all(verdicts)


def random_constraints(random: Random, study: Study) -> Fields:
    """Return one to three constraints on *study*, each of them stated as a spec states it."""
    names = [group.name for group in study.spec.value.groups]
    entries = sorted({document.value.entry for document in study.contracts})
    made: Fields = {}
    for _ in range(random.randint(1, 3)):
        made |= _constraint(random, names, entries, study)
    return made


def _constraint(random: Random, names: list[str], entries: list[str], study: Study) -> Fields:
    several = random.sample(names, 2) if len(names) > 1 else []
    kinds: list[Fields] = [
        {"megakernels": {"at_most": random.randint(0, 2)}},
        {"new_megakernels": {"at_most": random.randint(0, 1)}},
        {"conventional": [random.choice(names)]},
        {"workspace_bytes": random.randint(0, 300)},
    ]
    if several:
        kinds += [{"together": [several]}, {"apart": [several]}]
    if len(entries) > 1:
        first, second = random.sample(entries, 2)
        kinds += [{"requires": [{"entry": first, "needs": second}]}, {"excludes": [[first, second]]}]
    if study.contracts:
        contract = random.choice(study.contracts).value
        kinds.append({"entries": {random.choice(contract.members): contract.entry}})
    return random.choice(kinds)


def with_constraints(asked: Study, said: Fields) -> Study:
    """Return *asked* with its workspaces numbered, and with what *said* says."""
    contracts = tuple(_with(one, workspace_bytes=50 + 10 * place) for place, one in enumerate(asked.contracts))
    return replace(asked, contracts=contracts, spec=_with(asked.spec, constraints=Constraints.model_validate(_tuples(said))))


def _with(document: Document[FileModel], **fields: object) -> Document[FileModel]:
    return replace(document, value=document.value.model_copy(update=fields))


def _tuples(value: object) -> object:
    if isinstance(value, dict):
        return {key: _tuples(one) for key, one in value.items()}
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
