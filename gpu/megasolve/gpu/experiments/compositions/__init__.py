"""Compositions: whole candidates, run on a device from their first launch to their first publication."""

from .front import measured_compositions, planned_compositions

__all__ = ["measured_compositions", "planned_compositions"]
