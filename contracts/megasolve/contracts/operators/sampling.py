"""A token drawn from each row of logits: 5 flops per element for the softmax, and a number of 8 bytes."""

from __future__ import annotations

from .families.rows import NAME, OWN_FLOPS, SIZES, TILE, per_row
from .kind import OperatorKind, Sizes, Widths
from .work import OperatorWork


def _work(shape: Sizes, widths: Widths) -> OperatorWork:
    return per_row(shape, widths, result_bytes=8, per_element=5)


SAMPLING = OperatorKind(
    15,
    "sampling",
    required=SIZES,
    optional={OWN_FLOPS: None},
    may_be_zero=frozenset({OWN_FLOPS}),
    tile=TILE,
    work=_work,
    relatives=NAME,
)
