"""Rules for what operators wait for: dependencies that hold nothing up, or stand twice."""

from __future__ import annotations

from collections.abc import Iterator

from ....model.contract import Contract
from ....model.findings import Fault, Severity
from ....model.rules import rule
from ...subjects import CONTRACT
from ..walking import repeats
from .paths import dependencies_of, each_operator


@rule("OPR-22", "previous-never", "An operator waits for the repeat before only in a block that repeats.", on=CONTRACT)
def previous_never(contract: Contract) -> Iterator[Fault]:
    """In a block that runs once there is no repeat before, so the dependency holds nothing up; often `repeat` was forgotten."""
    for group, program in contract.programs.items():
        for path, dependency, number in dependencies_of(contract, group):
            if dependency.previous and program[number].repeat == 1:
                message = (
                    f"block {number + 1} of program '{group}' runs once, so '{dependency.operator}' has no repeat before; "
                    "add repeat to the block, or remove the dependency"
                )
                yield Fault(previous_never, (*path, "previous"), message, at_key=True, severity=Severity.WARNING)


@rule("OPR-23", "dependency-repeated", "Each dependency of an operator is declared once.", on=CONTRACT)
def dependency_repeated(contract: Contract) -> Iterator[Fault]:
    """A second one adds nothing; often another operator was meant."""
    for group in contract.programs:
        for path, operator in each_operator(contract, group):
            for index, first in repeats(operator.after, lambda entry: (entry.operator, entry.pattern, entry.previous)):
                what = f"'{operator.after[index].operator}' is dependency {first + 1} of '{operator.name}' already"
                yield Fault(dependency_repeated, (*path, "after", index), f"{what}; remove one of the two")
