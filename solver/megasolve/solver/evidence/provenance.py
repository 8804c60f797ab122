"""Provenance of derived times: which program they come from, what they leave out, and what they were calibrated to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache

from megasolve.contracts import Contract, Device, Document, Provenance
from megasolve.contracts.limits.workers import in_flight_bytes
from megasolve.contracts.model.contract import DERIVED
from megasolve.contracts.model.programs.operators import ShapedOperator

from .derived import Calibration, Derived


def derived_provenance(
    contract: Document[Contract], group: str, derived: Derived, conditions: Sequence[str], calibrations: Sequence[Calibration]
) -> Provenance:
    """Return where the time of *group* comes from; *conditions* say under what it was derived (see `conditions_of`)."""
    workers = "1 worker" if derived.workers == 1 else f"{derived.workers} workers"
    parts = (f"the program of {group} in entry '{contract.value.entry}' on {workers}", *conditions, _calibrated(derived, calibrations))
    return Provenance(kind="tile-simulated", source="; ".join(parts), tool=f"megasolve {tool_version()}")


def conditions_of(contract: Contract, device: Device, off: Sequence[str]) -> Iterator[str]:
    """Yield what times of *contract* rest on although nobody stated it, and which mechanisms are *off*."""
    under_way = in_flight_bytes(contract) if contract.in_flight_bytes == DERIVED else None
    if under_way is not None and device.hbm_latency_ps and "in_flight" not in off:
        yield f"{under_way:,} bytes in flight a CTA, derived from its geometry"
    if _has_library_tiles(contract, off):
        yield "products in tiles and at rates of a library"
    if off:
        yield f"without {', '.join(off)}"


def _has_library_tiles(contract: Contract, off: Sequence[str]) -> bool:
    operators = (operator for program in contract.programs.values() for block in program for operator in block.operators)
    products = (operator for operator in operators if isinstance(operator, ShapedOperator) and operator.library)
    # Switched off, only those that state no tile of their own still have them.
    return any(not operator.tile or "library" not in off for operator in products)


def _calibrated(derived: Derived, calibrations: Sequence[Calibration]) -> str:
    if not derived.factors:
        return "not calibrated"
    sources = sorted({one.entry for one in calibrations if one.factor != 1 and {*one.operators} & {name for name, _ in derived.factors}})
    return f"calibrated to records of {', '.join(sources)}: {factors_text(derived.factors)}"


def factors_text(factors: Sequence[tuple[str, Fraction]]) -> str:
    """Return the factors by operator; operators of one factor stand together."""
    named: dict[Fraction, list[str]] = {}
    for operator, factor in factors:
        named.setdefault(factor, []).append(operator)
    return ", ".join(f"compute of {' '.join(operators)} x {float(factor):.4g}" for factor, operators in named.items())


# The metadata of a package is parsed anew each time, which takes longer than reading a derived time from the cache.
@cache
def tool_version() -> str:
    """Return the version of the installed package, or that there is none."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("megasolve")
    except PackageNotFoundError:
        return "0+not.installed"
