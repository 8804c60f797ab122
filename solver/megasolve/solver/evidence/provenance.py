"""Provenance of derived times: which program they come from, what they leave out, and what they were calibrated to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache

from megasolve.contracts import Contract, Document, Provenance

from .derived import Calibration, Derived


def derived_provenance(
    contract: Document[Contract], group: str, derived: Derived, off: Sequence[str], calibrations: Sequence[Calibration]
) -> Provenance:
    """Return where the time of *group* comes from; *off* names the mechanisms that are off."""
    workers = "1 worker" if derived.workers == 1 else f"{derived.workers} workers"
    parts = (f"the program of {group} in entry '{contract.value.entry}' on {workers}", *_parts(derived, off, calibrations))
    return Provenance(kind="tile-simulated", source="; ".join(parts), tool=f"megasolve {tool_version()}")


def _parts(derived: Derived, off: Sequence[str], calibrations: Sequence[Calibration]) -> Iterator[str]:
    if off:
        yield f"without {', '.join(off)}"
    if not derived.factors:
        yield "not calibrated"
        return
    sources = sorted({one.entry for one in calibrations if one.factor != 1 and {*one.operators} & {name for name, _ in derived.factors}})
    yield f"calibrated to records of {', '.join(sources)}: {factors_text(derived.factors)}"


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
