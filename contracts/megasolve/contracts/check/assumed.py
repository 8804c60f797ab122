"""Assumptions about what cannot be a region: they stand for no megakernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..graph.dependences import dependences_of
from ..graph.regions import why_no_region
from ..model.closest import nearest
from ..model.contract import Assumption
from ..model.spec import Spec
from ..model.wording import KeyPath


def unknown_fusions(spec: Spec, assumptions: Sequence[Assumption]) -> Iterator[tuple[KeyPath, str]]:
    """Yield each of *assumptions* whose groups are no region of *spec*, by its path in the list, and why."""
    names = [group.name for group in spec.groups]
    for index, one in enumerate(assumptions):
        groups = () if isinstance(one.fuse, str) else one.fuse
        strangers = [(at, name) for at, name in enumerate(groups) if name not in names]
        for at, name in strangers:
            yield (index, "fuse", at), f"'{name}' is no group of spec '{spec.name}'{nearest(name, names)}; nothing is assumed"
        if groups and not strangers:
            depends = dependences_of(spec)
            if because := why_no_region(depends, depends.mask(groups)):
                yield (index, "fuse"), f"{'+'.join(groups)} is no region: {because}; nothing is assumed"
