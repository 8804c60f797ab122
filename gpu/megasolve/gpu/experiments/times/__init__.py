"""Measuring: times that a spec lacks, taken on a GPU or on its stand-in, written as service records with all that they were taken under."""

from .front import measured, planned, require

__all__ = ["measured", "planned", "require"]
