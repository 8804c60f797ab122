"""A mixture of experts: up and down projections of the experts that tokens are routed to."""

from __future__ import annotations

from .kind import Contradictions, OperatorKind, Sizes, Widths
from .work import ACTIVATIONS, COLUMNS, OUTPUT, ROWS, WEIGHTS, OperatorWork, Tensor


def _work(shape: Sizes, widths: Widths) -> OperatorWork:
    """Projections (*matrices* of k x n) of the *distinct* experts."""
    k, n, distinct = shape["k"], shape["n"], shape["distinct"]
    pairs, moved = shape["tokens"] * shape["top_k"], shape["tokens"] * shape["top_k"] * (k + n) * widths.element
    tensors = (
        Tensor(WEIGHTS, distinct * shape["matrices"] * k * n * widths.weight, (ROWS, COLUMNS)),
        Tensor(ACTIVATIONS, moved, (ROWS,)),
        Tensor(OUTPUT, moved, (ROWS, COLUMNS)),
    )
    # Rows are experts, not tokens: which columns of its input a tile reads depends on the routing, so it reads all.
    return OperatorWork((distinct, n, 1), ("distinct", "n", None), tensors, pairs * (2 * shape["matrices"] * k * n + 5 * n), None)


def _contradictions(sizes: Sizes) -> Contradictions:
    for key in ("top_k", "distinct"):
        if sizes[key] > sizes["experts"]:
            yield key, f"{key} {sizes[key]} of {sizes['experts']} experts"
    routed = sizes["tokens"] * sizes["top_k"]
    if sizes["distinct"] > routed:
        yield "distinct", f"{sizes['distinct']} distinct experts for {routed} routed tokens; write min(experts, tokens * top_k) or less"


MOE = OperatorKind(
    13,
    "moe",
    required=("tokens", "experts", "top_k", "k", "n", "distinct"),
    optional={"matrices": 2},
    tile=("distinct", "n"),
    work=_work,
    contradictions=_contradictions,
)
