"""The wave rule: how the time of a grid changes with the CTAs that it gets (paper, Table I, opaque operators)."""

from __future__ import annotations

from fractions import Fraction

from .arithmetic import whole


def wave_factor(grid_ctas: int, held_ctas: int, resident_ctas: int) -> Fraction:
    """Return ceil(g/W) / ceil(g/W0): the waves of a grid of g CTAs on W of them, over those on the W0 of its record."""
    return Fraction(-(-grid_ctas // held_ctas), -(-grid_ctas // resident_ctas))


def in_waves(
    duration_ps: int, demand: int | Fraction, bandwidth_bytes_per_s: int, factor: Fraction
) -> tuple[int | Fraction, int | Fraction]:
    """Return duration and demand of a task whose compute part takes *factor* times as long.

    The memory part Q/B (bytes over bandwidth) stays, the compute part T - Q/B, at least 0, is multiplied. The bytes stay
    the same too, so the demand is bytes over the new duration, at most the bandwidth.
    """
    if not duration_ps:
        return duration_ps, demand
    traffic = Fraction(demand) * duration_ps
    memory_ps = traffic / bandwidth_bytes_per_s if traffic else Fraction(0)
    longer_ps = memory_ps + max(duration_ps - memory_ps, Fraction(0)) * factor
    return whole(longer_ps), whole(min(traffic / longer_ps, Fraction(bandwidth_bytes_per_s)))
