"""Measuring: times that a spec lacks, taken on a GPU or on its stand-in, written as service records with all that they were taken under."""

from ...harness.wanted import WantedTime
from .front import measured, planned, require
from .wishes import MeasuringWishes

__all__ = ["MeasuringWishes", "WantedTime", "measured", "planned", "require"]
