"""What fits the regions of an explained candidate, as text: what is in use, what is slower, what is left out and why."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..text.entry_names import entries_text
from ..text.tables import indented, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from megasolve.solver import Explanation, Fitting

MOST_SHOWN = 5


def fitting_lines(explained: Explanation, *, show_all: bool) -> list[str]:
    """Return what else fits each region that leaves a choice; of many the first few, unless *show_all*; nothing where none does."""
    regions = [(region, list(found)) for region, found in groupby(explained.fitting, key=lambda one: one.region)]
    lines = [line for region, found in regions if len(found) > 1 for line in _region_lines(region, found, show_all=show_all)]
    return ["entries that fit its regions:", *indented(lines)] if lines else []


def _region_lines(region: str, found: Sequence[Fitting], *, show_all: bool) -> Iterator[str]:
    used = " | ".join(entries_text([one.entries]) for one in found if one.is_used)
    others = [one for one in found if not one.is_used]
    slower = sum(one.is_slower for one in others)
    yield f"{region}: {used} of {counted(len(found), 'choice')}; {slower} slower, {len(others) - slower} left out"
    shown = others if show_all else others[:MOST_SHOWN]
    for one in shown:
        yield from indented(_lines(one))
    if len(shown) < len(others):
        yield f"  ... {counted(len(others) - len(shown), 'more choice')}, all of them with --entries"


def _lines(one: Fitting) -> list[str]:
    name = entries_text([one.entries])
    if one.is_slower:
        return [f"{name}: slower (--variants)"]
    if not one.causes:
        return [f"{name}: left out: not together with what fits the other regions (--variants)"]
    return [f"{name}: left out: {one_line(str(cause))}" for cause in one.causes]
