"""A transposed convolution over time: each step of the input becomes *stride* steps of the output."""

from __future__ import annotations

from .families.convolution import NAME, SIZES, TILE, channels_in_groups, convolution
from .kind import OperatorKind, Sizes, Widths
from .work import OperatorWork, ceil_div


def _work(shape: Sizes, widths: Widths) -> OperatorWork:
    steps_in = ceil_div(shape["t_out"], shape["stride"])
    return convolution(shape, widths, steps_in, steps_in, ceil_div(shape["kernel"], shape["stride"]) - 1)


CONV_TRANSPOSE1D = OperatorKind(
    10,
    "conv_transpose1d",
    required=SIZES,
    optional={"stride": 1, "groups": 1},
    tile=TILE,
    work=_work,
    contradictions=channels_in_groups,
    relatives=NAME,
)
