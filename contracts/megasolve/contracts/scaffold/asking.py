"""From the words of a spec or a command to how kernels are told apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..model.contract import Contract
from ..model.spec import GroupAttribution, Spec
from ..observe.observation import AUTO, AttributedBy, GroupRule, StepPlaces, StepsBy

WHOLE = "whole"
REPLAYS = "replays"


def steps_by(words: str, skip: int = 0) -> StepsBy:
    """Return how steps are found: ``whole``, ``marks:GLOB``, ``period:NUMBER``, ``period:auto``, ``replays`` or ``count:NUMBER``.

    Raises ValueError for anything else.
    """
    kind, _, rest = words.partition(":")
    if kind == "marks" and rest:
        return StepsBy(marks=rest, skip=skip)
    if kind == "period" and (rest == AUTO or (rest.isascii() and rest.isdigit())):
        return StepsBy(period=rest if rest == AUTO else int(rest), skip=skip)
    if kind == "count" and rest.isascii() and rest.isdigit() and int(rest) > 0:
        return StepsBy(skip=skip, count=int(rest))
    if words == REPLAYS:
        return StepsBy(replays=True, skip=skip)
    if words != WHOLE:
        raise ValueError(f"found {words!r}, expected whole, marks:GLOB, period:NUMBER, period:auto, replays or count:NUMBER")
    return StepsBy(skip=skip)


def steps_words(steps: StepsBy) -> str:
    """Return *steps* as a spec writes them."""
    if steps.marks is not None:
        return f"marks:{steps.marks}"
    if steps.replays:
        return REPLAYS
    if steps.count > 1:
        return f"count:{steps.count}"
    return WHOLE if steps.period is None else f"period:{steps.period}"


def declared_attribution(spec: Spec, contracts: tuple[Contract, ...]) -> AttributedBy:
    """Return how *spec* tells kernels apart; where it does not say, by the kernels that its contracts declare as theirs."""
    declared = spec.attribution
    rules = tuple(map(_rule, declared.groups)) if declared and declared.groups else tuple(_implied(spec, contracts))
    if declared is None:
        return AttributedBy(rules)
    steps = StepsBy(skip=declared.skip, is_usual=True) if declared.steps is None else steps_by(declared.steps, declared.skip)
    return AttributedBy(rules, replace(steps, order=declared.order), declared.gpu)


def _rule(declared: GroupAttribution) -> GroupRule:
    at = declared.at
    places = None if at is None else StepPlaces(at.first, at.kernels, at.every, at.times)
    return GroupRule(declared.group, declared.ranges, declared.names, declared.part, places)


def _implied(spec: Spec, contracts: tuple[Contract, ...]) -> Iterator[GroupRule]:
    if len(spec.groups) == 1:
        yield GroupRule(spec.groups[0].name)
        return
    for group in spec.groups:
        names = [name for contract in contracts if contract.members == (group.name,) for name in contract.observed_kernels]
        if names:
            yield GroupRule(group.name, names=tuple(dict.fromkeys(names)))
