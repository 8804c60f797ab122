"""What a rule yields when it is broken."""

from __future__ import annotations

from ...model.fault import Fault

__all__ = ["Fault"]
