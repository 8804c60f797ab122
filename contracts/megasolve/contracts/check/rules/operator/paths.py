"""Where the operators of a contract stand, and the sizes that they are written over."""

from __future__ import annotations

from collections.abc import Iterator

from ....model.contract import Contract
from ....model.programs.operators import Dependency, ExplicitOperator, ShapedOperator
from ....model.programs.symbols import Extent
from ....model.wording import KeyPath
from ....sizes.operators import AnyOperator


def operators_of(contract: Contract, group: str) -> Iterator[tuple[KeyPath, AnyOperator]]:
    """Yield the operators of the program of *group*, in program order, each with its path."""
    for number, block in enumerate(contract.programs[group]):
        for index, operator in enumerate(block.operators):
            yield ("programs", group, number, "operators", index), operator


def dependencies_of(contract: Contract, group: str) -> Iterator[tuple[KeyPath, Dependency, int]]:
    """Yield each dependency of the program of *group* with its path and the number of its block."""
    for number, block in enumerate(contract.programs[group]):
        for index, operator in enumerate(block.operators):
            for place, dependency in enumerate(operator.after):
                yield ("programs", group, number, "operators", index, "after", place), dependency, number


def extents_of(contract: Contract, group: str) -> Iterator[tuple[KeyPath, Extent]]:
    """Yield every size of the program of *group* with its path: repeats, shapes, tiles and grids."""
    for number, block in enumerate(contract.programs[group]):
        yield ("programs", group, number, "repeat"), block.repeat
    for path, operator in operators_of(contract, group):
        yield from (((*path, *keys), extent) for keys, extent in sizes_written(operator))


def sizes_written(operator: AnyOperator) -> Iterator[tuple[KeyPath, Extent]]:
    """Yield the sizes of *operator* with their keys."""
    if isinstance(operator, ShapedOperator):
        yield from ((("shape", key), extent) for key, extent in operator.shape.items())
    elif isinstance(operator, ExplicitOperator):
        yield ("tiles",), operator.tiles
    else:
        yield ("grid_ctas",), operator.grid_ctas
        yield ("hbm_bytes",), operator.hbm_bytes
