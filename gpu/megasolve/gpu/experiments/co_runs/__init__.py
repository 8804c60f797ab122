"""Co-runs: a producer and a consumer beside each other, which met before they began."""

from .front import measured_co_runs, planned_co_runs

__all__ = ["measured_co_runs", "planned_co_runs"]
