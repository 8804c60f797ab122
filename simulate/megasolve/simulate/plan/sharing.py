"""How the regions of a plan share the GPU, and under which budgets their groups run."""

from __future__ import annotations

from enum import Enum


class Phase(Enum):
    """Under which budget a group runs: on the WHOLE device, on its side of a SPLIT, on its PARTITION, or on a STREAM beside another."""

    WHOLE = "whole"
    SPLIT = "split"
    PARTITION = "partition"
    STREAM = "stream"


class Sharing(Enum):
    """How the regions share the GPU."""

    SERIAL = "serial"
    FIXED = "fixed"
    DYNAMIC = "dynamic"
    PARTITION = "partition"
    STREAMS = "streams"
    INSIDE = "inside"
