"""Times: exact picoseconds, rational where work contended for memory."""

from __future__ import annotations

from fractions import Fraction

from megasolve.contracts import PS_PER_MS

Ps = int | Fraction


def ms_text(ps: Ps) -> str:
    """Return a time in milliseconds without trailing zeros; one that is too short to show is not shown as none."""
    thousandths = round(Fraction(ps) / PS_PER_MS * 1000)
    if not thousandths and ps:
        return "less than 0.001 ms"
    whole, rest = divmod(thousandths, 1000)
    return f"{whole:,}" + (f".{rest:03d}".rstrip("0") if rest else "") + " ms"
