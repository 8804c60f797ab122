"""The errors of the GPU package: one line each, with what to do."""

from __future__ import annotations

from megasolve.contracts import MegasolveError


class GpuError(MegasolveError):
    """The root of what goes wrong between this package and a GPU, its driver or its compiler."""
