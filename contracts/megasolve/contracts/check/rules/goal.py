"""Rules for what a spec asks of every plan: its objectives and its constraints."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from ...files.study import Study
from ...model.findings import Fault, Severity
from ...model.rules import rule
from ...model.spec import Constraints, Spec
from ..assumed import unknown_fusions
from ..mentions import unknown_mentions
from ..subjects import SPEC, STUDY, Placed
from .walking import one_by_one, repeats
from .wording import repeated

_KEYS = ("conventional", "entries", "together", "apart", "requires", "excludes")


@rule("GOL-01", "constraint-on-nothing", "Constraints name groups of the spec and entries of its contracts.", on=STUDY)
def constraint_on_nothing(study: Study) -> Iterator[Placed]:
    """A constraint on something that does not exist would hold for every plan, or for none."""
    for path, message in unknown_mentions(study, study.spec.value.constraints):
        yield study.spec, Fault(constraint_on_nothing, ("constraints", *path), message)


@rule("GOL-02", "constraint-says-nothing", "A constraint that is written down says something.", on=SPEC)
def constraint_says_nothing(spec: Spec) -> Iterator[Fault]:
    """An empty list is a constraint that somebody meant to fill in."""
    said = spec.constraints
    if "constraints" in spec.model_fields_set and not said.model_fields_set:
        yield Fault(constraint_says_nothing, ("constraints",), "no constraint is stated; state one, or remove the key", at_key=True)
    for key in sorted(said.model_fields_set.intersection(_KEYS)):
        if not getattr(said, key):
            yield Fault(constraint_says_nothing, ("constraints", key), "nothing is listed; list something, or remove the key", at_key=True)
    if said.limits is not None and not said.limits.model_fields_set:
        yield Fault(constraint_says_nothing, ("constraints", "limits"), "no time has a limit; state one, or remove the key", at_key=True)


@rule("GOL-03", "constraints-contradict", "What is to stay together is not to stay apart.", on=SPEC)
def constraints_contradict(spec: Spec) -> Iterator[Fault]:
    """Two constraints that no plan can keep: `solve` would exclude everything."""
    said = spec.constraints
    together = {pair: index for index, groups in enumerate(said.together) for pair in combinations(sorted(groups), 2)}
    for index, groups in one_by_one(said.apart):
        for pair in combinations(sorted(groups), 2):
            if pair in together:
                message = f"{pair[0]} and {pair[1]} are to stay together, too (together[{together[pair]}]); remove one of the two"
                yield Fault(constraints_contradict, ("constraints", "apart", index), message, severity=Severity.WARNING)
    yield from _required_and_excluded(said)


def _required_and_excluded(said: Constraints) -> Iterator[Fault]:
    excluded = {pair: index for index, names in enumerate(said.excludes) for pair in combinations(sorted(names), 2)}
    for index, one in one_by_one(said.requires):
        low, high = sorted((one.entry, one.needs))
        if (low, high) in excluded:
            message = f"'{one.entry}' needs '{one.needs}', which it excludes (excludes[{excluded[low, high]}]); remove one of the two"
            yield Fault(constraints_contradict, ("constraints", "requires", index), message, severity=Severity.WARNING)


@rule("GOL-04", "objective-repeated", "Each objective is named once.", on=SPEC)
def objective_repeated(spec: Spec) -> Iterator[Fault]:
    """What decided before cannot decide again."""
    for index, first in repeats(spec.stated_objectives):
        yield Fault(objective_repeated, ("objective", index), repeated(f"'{spec.stated_objectives[index]}'", first))


@rule("GOL-05", "assumption-on-nothing", "An assumption fuses groups of the spec that can be a region.", on=STUDY)
def assumption_on_nothing(study: Study) -> Iterator[Placed]:
    """It stands for no megakernel, and nobody would see why a plan has none."""
    for path, message in unknown_fusions(study.spec.value, study.spec.value.assume):
        yield study.spec, Fault(assumption_on_nothing, ("assume", *path), message, severity=Severity.WARNING)
