"""Exact whole numbers out of decimal text: no digit of a time passes through a float."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from ...model.base import PS_PER_MS, PS_PER_NS, PS_PER_SECOND, PS_PER_US

PS_PER: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(("ps", "psecond", "picosecond"), 1),
        **dict.fromkeys(("ns", "nsec", "nsecond", "nanosecond"), PS_PER_NS),
        **dict.fromkeys(("us", "µs", "μs", "usec", "usecond", "microsecond"), PS_PER_US),
        **dict.fromkeys(("ms", "msec", "msecond", "millisecond"), PS_PER_MS),
        **dict.fromkeys(("s", "sec", "second"), PS_PER_SECOND),
        **dict.fromkeys(("min", "minute"), 60 * PS_PER_SECOND),
    }
)
"""How many picoseconds each spelling of a unit of time is, as Nsight Systems and Nsight Compute write them over the years."""

BYTES_PER: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(("B", "byte", "bytes"), 1),
        **dict.fromkeys(("kB", "KB", "Kbyte"), 10**3),
        **dict.fromkeys(("MB", "Mbyte"), 10**6),
        **dict.fromkeys(("GB", "Gbyte"), 10**9),
        **dict.fromkeys(("TB", "Tbyte"), 10**12),
        **dict.fromkeys(("KiB", "Kibyte"), 2**10),
        **dict.fromkeys(("MiB", "Mibyte"), 2**20),
        **dict.fromkeys(("GiB", "Gibyte"), 2**30),
        **dict.fromkeys(("TiB", "Tibyte"), 2**40),
    }
)
"""How many bytes each spelling of a unit of memory is; both tools count in thousands unless the unit has an i."""

# Longer ones are no times or sizes, and Python refuses to read the longest of them.
_MOST_CHARACTERS = 64

_DECIMAL = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,2}))?", re.ASCII)
_WHOLE = re.compile(r"(-?\d+)(?:\.0*)?", re.ASCII)
_GROUPED = re.compile(r"-?\d{1,3}(,\d{3})+(\.\d+)?", re.ASCII)


def decimal_ps(text: str, unit_ps: int) -> int:
    """Return the decimal *text*, counted in units of *unit_ps*, as whole picoseconds; half of one goes to the even neighbour.

    Raises ValueError where *text* is no plain decimal: an empty text, a comma, "nan", blanks inside, an exponent beyond two digits, or
    more than 64 characters.
    """
    whole, _, fraction = text.partition(".")
    digits = whole + fraction
    if len(digits) > _MOST_CHARACTERS or not (digits.isascii() and digits.isdigit()):
        return _signed_or_scientific(text, unit_ps)
    if not fraction:
        return int(digits) * unit_ps
    quotient, rest = divmod(int(digits) * unit_ps, 10 ** len(fraction))
    return _rounded(quotient, rest, 10 ** len(fraction)) if rest else quotient


def whole_number(text: str) -> int:
    """Return *text* as a whole number, which may be written with a fraction of zeros ("1024.00"); ValueError for any other."""
    _refuse_endless(text)
    match = _WHOLE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text[:40]!r} is not a whole number")
    return int(match[1])


def ungrouped(text: str) -> str:
    """Return *text* without the commas between groups of three digits.

    Raises ValueError for any other comma: "1,5" is one and a half in one locale and a broken fifteen in another.
    """
    if "," not in text:
        return text
    if not _GROUPED.fullmatch(text):
        raise ValueError(f"the comma of {text[:40]!r} is ambiguous: only groups of three digits are told from a decimal comma")
    return text.replace(",", "")


def _signed_or_scientific(text: str, unit_ps: int) -> int:
    _refuse_endless(text)
    match = _DECIMAL.fullmatch(text)
    if match is None or not (match[2] or match[3]):
        raise ValueError(f"{text[:40]!r} is not a decimal number")
    sign, whole, fraction, exponent = match.groups(default="")
    places = len(fraction) - int(exponent or 0)
    magnitude = int(whole + fraction) * unit_ps
    if places > 0:
        quotient, rest = divmod(magnitude, 10**places)
        exact = _rounded(quotient, rest, 10**places)
    else:
        exact = magnitude * 10**-places
    return -exact if sign == "-" else exact


def _refuse_endless(text: str) -> None:
    if len(text) > _MOST_CHARACTERS:
        raise ValueError(f"'{text[:20]}...' has {len(text):,} characters, more than any time or size")


def _rounded(quotient: int, rest: int, denominator: int) -> int:
    return quotient + (2 * rest > denominator or (2 * rest == denominator and quotient % 2 == 1))
