"""A number of each row: a sum, a maximum, or where it stands."""

from __future__ import annotations

from .families.rows import NAME, OWN_FLOPS, SIZES, TILE, per_row
from .kind import OperatorKind, Sizes, Widths
from .work import OperatorWork


def _work(shape: Sizes, widths: Widths) -> OperatorWork:
    return per_row(shape, widths, result_bytes=4, per_element=1)


REDUCTION = OperatorKind(
    14,
    "reduction",
    required=SIZES,
    optional={OWN_FLOPS: None},
    may_be_zero=frozenset({OWN_FLOPS}),
    tile=TILE,
    work=_work,
    relatives=NAME,
)
