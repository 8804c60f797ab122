"""Units: one spelling each in files, and what people write instead."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from ...model.closest import closest

_NUMBER = re.compile(r"\s*([-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,2})?)\s*([A-Za-zµμ/]+)\s*")


@dataclass(frozen=True, slots=True)
class UnitFamily:
    """A quantity with its one unit.

    *suffix* ends its keys; *factors* turns a written unit into this one; *key_units* are the endings that near-miss keys
    have, and *words* the names that people give to the quantity without any unit.
    """

    suffix: str
    unit: str
    law: str
    factors: dict[str, Decimal]
    key_units: frozenset[str]
    words: frozenset[str] = frozenset()


_DECIMAL = {"": 10**0, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}
_PREFIXES = _DECIMAL | {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
_SIZES = {"B": Decimal(1), "byte": Decimal(1), "bytes": Decimal(1)} | dict.fromkeys(("b", "bit", "bits"), Decimal("0.125"))
_TIMES = {
    "ps": Decimal("1e-6"),
    "ns": Decimal("1e-3"),
    **dict.fromkeys(("us", "µs", "μs", "usec", "micros", "microseconds"), Decimal(1)),
    **dict.fromkeys(("ms", "msec", "millis", "milliseconds"), Decimal(1000)),
    **dict.fromkeys(("s", "sec", "secs", "seconds"), Decimal(10**6)),
}


def _prefixed(units: dict[str, Decimal], endings: Iterable[str] = ("",)) -> dict[str, Decimal]:
    return {
        prefix + unit + ending: factor * scale
        for prefix, scale in _PREFIXES.items()
        for unit, factor in units.items()
        for ending in endings
    }


def _key_units(units: Iterable[str], endings: Iterable[str] = ("",)) -> frozenset[str]:
    return frozenset(unit.lower() for unit in _prefixed(dict.fromkeys(units, Decimal(1)), endings))


RATE = UnitFamily(
    "_bytes_per_s",
    "bytes per second",
    "bandwidths are in bytes per second here (8 bits are 1 byte)",
    _prefixed(_SIZES, ("/s", "ps", "/sec")),
    _key_units(_SIZES, ("_s", "_per_s", "s", "ps", "_sec", "_per_sec", "_per_second")) - {"bytes", "bits"},
    frozenset({"bandwidth", "bw"}),
)
FLOPS = UnitFamily(
    "_flops_per_s",
    "flops per second",
    "compute rates are in flops per second here",
    _prefixed(dict.fromkeys(("flops", "flop/s", "flops/s", "FLOPS", "FLOP/s", "FLOPs"), Decimal(1))),
    _key_units(("flops", "flops_s", "flop_per_s", "flops_per_s", "flops_per_sec")),
)
TIME = UnitFamily(
    "_us",
    "microseconds",
    "times are in µs here",
    _TIMES,
    frozenset(_TIMES),
    frozenset({"time", "latency", "duration", "cost"}),
)
SIZE = UnitFamily("_bytes", "bytes", "sizes are in bytes here", _prefixed(_SIZES), _key_units(_SIZES), frozenset({"size"}))

FAMILIES = (RATE, FLOPS, TIME, SIZE)


def family_of_key(key: str) -> UnitFamily | None:
    """Return the family of a correctly spelled *key*, by its suffix."""
    return next((family for family in FAMILIES if key.endswith(family.suffix)), None)


def unit_of_key(key: str) -> str:
    """Return the unit that *key* counts in, or an empty text where it has none."""
    family = family_of_key(key)
    return family.unit if family else ""


def written_quantity(text: str, family: UnitFamily) -> Decimal | None:
    """Return a quantity written with its unit (``0.276 ms``) in the unit of *family*, exactly, or None."""
    match = _NUMBER.fullmatch(text)
    factor = None if match is None else family.factors.get(match[2])
    return None if match is None or factor is None else Decimal(match[1]) * factor


def unit_hint(key: str, known: Iterable[str]) -> tuple[str, tuple[str, ...]] | None:
    """Return the law that a near-miss such as ``duration_ms`` or ``hbm_gb_s`` breaks, and the *known* keys it may mean.

    Returns None where *key* already ends in the right unit, names no unit, or no known key has that unit.
    """
    if family_of_key(key) is not None:
        return None
    names = tuple(known)
    for family in FAMILIES:
        stem = _stem(key.lower(), family)
        candidates = tuple(name for name in names if family_of_key(name) is family)
        if stem is not None and candidates:
            return family.law, _meant(stem, family.suffix, candidates)
    return None


def _stem(key: str, family: UnitFamily) -> str | None:
    """Return *key* without the unit at its end, or None where it ends in no unit of *family*."""
    for unit in sorted(family.key_units, key=len, reverse=True):
        if key == unit or key.endswith(f"_{unit}"):
            return key.removesuffix(unit).rstrip("_")
    return key if family.words & set(key.split("_")) else None


def _meant(stem: str, suffix: str, candidates: tuple[str, ...]) -> tuple[str, ...]:
    if stem + suffix in candidates:
        return (stem + suffix,)
    stems = {name.removesuffix(suffix): name for name in candidates}
    words = set(stem.split("_"))
    sharing = tuple(name for known, name in stems.items() if words & set(known.split("_")))
    close = closest(stem, stems)
    return sharing or (candidates if close is None else (stems[close],))
