"""Whether kernels of this process may run beside each other at all."""

from __future__ import annotations

import os

from ..driver import serialized_by
from ..errors import GpuError


class Serialized(GpuError):
    """Something around this process makes kernels run one after the other, so that those that wait for each other never end."""


def require_overlap() -> None:
    """Refuse to go on where kernels do not run beside each other.

    Raises
    ------
    Serialized
    """
    if why := serialized_by(os.environ):
        raise Serialized(why)
