"""How the regions of a plan share the GPU, and under which budgets their groups run."""

from __future__ import annotations

from enum import Enum


class Phase(Enum):
    """Under which budget a group runs: on the WHOLE device or on its side of a SPLIT."""

    WHOLE = "whole"
    SPLIT = "split"


class Sharing(Enum):
    """How the regions share the GPU."""

    SERIAL = "serial"
    FIXED = "fixed"
    DYNAMIC = "dynamic"
