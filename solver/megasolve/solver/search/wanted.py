"""Which times the rules will ask for, so that those which nobody recorded can be derived together."""

from __future__ import annotations

from collections.abc import Iterator

from megasolve.contracts import Contract, Document, Key
from megasolve.simulate.plan.cover import Backend, Region
from megasolve.simulate.plan.policy import policies

from .predicates import Judge


def wanted_times(judge: Judge) -> Iterator[tuple[Key, Document[Contract]]]:
    """Yield the keys that candidates need under the question of *judge*, each with its contract; none where no contract has a program."""
    if not any(one.value.programs for one in judge.study.contracts):
        return
    spec = judge.question.spec
    regions = [Region(backend, groups) for groups in judge.graph.regions for backend in Backend]
    needed = ((region, policy) for region in regions for policy in policies(spec) if policy.may_have(region, spec))
    for region, policy in needed:
        for choice in judge.choices(region):
            for need in judge.needs(choice, policy):
                yield from judge.keys(choice, need)
