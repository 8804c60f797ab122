"""Where the operators of a contract stand, and the sizes that they are written over."""

from __future__ import annotations

from collections.abc import Iterator

from ....model.base import PartlyKnown
from ....model.contract import Contract
from ....model.programs.operators import Dependency
from ....model.programs.symbols import Extent
from ....model.wording import KeyPath
from ....sizes.operators import AnyOperator, sizes_written
from ..walking import known_first


def operators_of(contract: Contract, group: str) -> Iterator[tuple[KeyPath, AnyOperator]]:
    """Yield the operators of the program of *group*, in program order, each with its path."""
    for number, block in enumerate(contract.programs[group]):
        for index, operator in enumerate(block.operators):
            yield ("programs", group, number, "operators", index), operator


def each_operator(contract: Contract, group: str) -> Iterator[tuple[KeyPath, AnyOperator]]:
    """Yield what `operators_of` does for a judgement on each: of a program that is partly known in the order of `known_first`."""
    yield from known_first(operators_of(contract, group), _turn(contract, group))


def dependencies_of(contract: Contract, group: str) -> Iterator[tuple[KeyPath, Dependency, int]]:
    """Yield each dependency of the program of *group* with its path and the number of its block."""
    for number, block in enumerate(contract.programs[group]):
        for index, operator in enumerate(block.operators):
            for place, dependency in enumerate(operator.after):
                yield ("programs", group, number, "operators", index, "after", place), dependency, number


def each_dependency(contract: Contract, group: str) -> Iterator[tuple[KeyPath, Dependency]]:
    """Yield each dependency with its path, in the order of `each_operator`."""
    placed = ((path, dependency) for path, dependency, _ in dependencies_of(contract, group))
    yield from known_first(placed, _turn(contract, group))


def _turn(contract: Contract, group: str) -> int | None:
    program = contract.programs[group]
    return program.turn if isinstance(program, PartlyKnown) else None


def extents_of(contract: Contract, group: str) -> Iterator[tuple[KeyPath, Extent]]:
    """Yield every size of the program of *group* with its path: repeats, shapes, tiles and grids."""
    for number, block in enumerate(contract.programs[group]):
        yield ("programs", group, number, "repeat"), block.repeat
    for path, operator in operators_of(contract, group):
        yield from (((*path, *keys), extent) for keys, extent in sizes_written(operator))
