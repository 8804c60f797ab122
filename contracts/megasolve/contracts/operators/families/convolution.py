"""Convolutions over time, dense, in groups or over each channel for itself."""

from __future__ import annotations

from ..kind import Contradictions, Sizes, Widths, not_divided
from ..work import ACTIVATIONS, COLUMNS, OUTPUT, ROWS, WEIGHTS, OperatorWork, Tensor

NAME = "convolution"
SIZES = ("c_in", "c_out", "kernel", "t_out")
TILE = ("t_out", "c_out")


def convolution(shape: Sizes, widths: Widths, steps_in: int, macs_over: int, halo_rows: int) -> OperatorWork:
    """Return the work of a convolution that reads *steps_in* time steps and multiplies at *macs_over* of them."""
    c_in, c_out, kernel, groups, steps = shape["c_in"], shape["c_out"], shape["kernel"], shape["groups"], shape["t_out"]
    is_depthwise = groups == c_in == c_out
    tensors = (
        Tensor(WEIGHTS, c_out * (c_in // groups) * kernel * widths.weight, (COLUMNS,)),
        Tensor(WEIGHTS, c_out * widths.weight * widths.bias, (COLUMNS,)),
        Tensor(ACTIVATIONS, steps_in * c_in * widths.element, (ROWS, COLUMNS) if is_depthwise else (ROWS,)),
        Tensor(OUTPUT, steps * c_out * widths.element, (ROWS, COLUMNS)),
    )
    flops = 2 * (c_in // groups) * c_out * kernel * macs_over
    # Over each channel for itself a tile reads its own columns, else those of every channel.
    reads = COLUMNS if is_depthwise else None
    return OperatorWork((steps, c_out, 1), ("t_out", "c_out", None), tensors, flops, reads, halo_rows)


def channels_in_groups(sizes: Sizes) -> Contradictions:
    """Yield the groups where channels do not come in whole ones."""
    if "groups" in sizes:
        yield from not_divided(sizes, "c_in", "groups")
        yield from not_divided(sizes, "c_out", "groups")
