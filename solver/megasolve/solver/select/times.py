"""Times: exact picoseconds, rational where work contended for memory."""

from __future__ import annotations

from fractions import Fraction

Ps = int | Fraction
