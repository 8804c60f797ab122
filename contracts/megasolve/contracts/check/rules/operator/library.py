"""Rules for operators whose tiles a library chooses."""

from __future__ import annotations

from collections.abc import Iterator

from ....model.contract import Contract
from ....model.findings import Fault
from ....model.programs.operators import ShapedOperator
from ....model.rules import rule
from ....operators.matmul import MATMUL
from ...subjects import CONTRACT
from ..wording import listed
from .paths import each_operator

_CHOSEN = {"compute_ps": "compute_us", "compute_at": "compute_at", "staging_bytes": "staging_bytes"}
"""What belongs to a tile, by the names of fields and of keys."""


@rule(
    "OPR-26",
    "library-misplaced",
    "A library has tiles for products of conventional kernels, and what belongs to a tile stands beside one.",
    on=CONTRACT,
)
def library_misplaced(contract: Contract) -> Iterator[Fault]:
    """A library chooses the tile, how long it takes and what it holds; a megakernel is compiled for tiles of its own.

    A tile beside it is the one without the library; times and staging without a tile would belong to none.
    """
    for group in contract.programs:
        for path, operator in each_operator(contract, group):
            if isinstance(operator, ShapedOperator) and operator.library:
                yield from (Fault(library_misplaced, (*path, "library"), message) for message in _messages(contract, operator))


def _messages(contract: Contract, operator: ShapedOperator) -> Iterator[str]:
    if contract.backend == "megakernel":
        yield f"'{operator.name}' has tiles of a library in a megakernel, which is compiled for its own; state them in `tile`"
    if operator.kind != MATMUL.name:
        yield f"'{operator.name}' is a {operator.kind}; only a {MATMUL.name} has tiles of a library: state its own in `tile`"
    stated = [key for field, key in _CHOSEN.items() if field in operator.model_fields_set]
    if stated and not operator.tile:
        yield f"'{operator.name}' has tiles of a library, and {listed(stated)} of none; add the `tile` that it has without a library"
