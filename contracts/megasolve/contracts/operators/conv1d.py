"""A convolution over time: a step of the output reads the steps before it that its kernel reaches."""

from __future__ import annotations

from .families.convolution import NAME, SIZES, TILE, channels_in_groups, convolution
from .kind import OperatorKind, Sizes, Widths
from .work import OperatorWork


def _work(shape: Sizes, widths: Widths) -> OperatorWork:
    return convolution(shape, widths, shape["t_out"] * shape["stride"], shape["t_out"], (shape["kernel"] - 1) * shape["dilation"])


CONV1D = OperatorKind(
    9,
    "conv1d",
    required=SIZES,
    optional={"stride": 1, "dilation": 1, "groups": 1},
    tile=TILE,
    work=_work,
    contradictions=channels_in_groups,
    relatives=NAME,
)
