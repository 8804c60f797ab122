"""Measuring: times that a spec lacks, taken on a GPU or on its stand-in, written as service records with all that they were taken under."""

from ...harness.wanted import WantedTime
from .front import measured, planned, require
from .wishes import Wishes

__all__ = ["WantedTime", "Wishes", "measured", "planned", "require"]
