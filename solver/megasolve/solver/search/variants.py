"""Variants: how many choices of entries all candidates have together, counted without listing any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from megasolve.contracts import Study
from megasolve.simulate.plan.budgets import planned_spec
from megasolve.simulate.plan.counting import count_candidates
from megasolve.simulate.plan.cover import Region
from megasolve.simulate.plan.region_graph import region_graph

from ..evidence.asking import SpaceTooLarge

MOST_VARIANTS = 20_000
_NAMED = 4


@dataclass(frozen=True, slots=True)
class Ways:
    """In how many ways entries can run a region: the megakernels by their members, the implementations of each group."""

    megakernels: Mapping[frozenset[str], int]
    implementations: Mapping[str, int]

    def of(self, region: Region) -> int:
        """Return how many choices of entries *region* has."""
        if region.is_megakernel:
            return self.megakernels.get(frozenset(region.groups), 0)
        product = 1
        for group in region.groups:
            product *= self.implementations.get(group, 0)
        return product

    def several(self) -> Iterator[tuple[str, int]]:
        """Yield what has several choices, those with the most first, and how many."""
        megakernels = {f"m:{'+'.join(sorted(members))}": count for members, count in self.megakernels.items()}
        found = {**megakernels, **{f"c:{group}": count for group, count in self.implementations.items()}}
        yield from sorted(((name, count) for name, count in found.items() if count > 1), key=lambda pair: (-pair[1], pair[0]))


def ways_of(study: Study) -> Ways:
    """Return the choices that the contracts of *study* give."""
    contracts = [document.value for document in study.contracts]
    conventional = {(one.members[0], one.implementation or "") for one in contracts if one.backend == "conventional"}
    megakernels = Counter(frozenset(one.members) for one in contracts if one.backend == "megakernel")
    return Ways(megakernels, Counter(group for group, _ in conventional))


def variant_count(study: Study) -> int:
    """Return how many variants the candidates of *study* have together, whatever rules exclude."""
    spec = planned_spec(study)
    return count_candidates(region_graph(spec), spec, ways_of(study).of)


def refuse_many_variants(study: Study) -> None:
    """Refuse a study with more than `MOST_VARIANTS` variants before any of them is made.

    Raises
    ------
    SpaceTooLarge
        Its contracts give too many choices.
    """
    count = variant_count(study)
    if count > MOST_VARIANTS:
        found = list(ways_of(study).several())
        facts = f"{count:,} variants (choices of entries, over all candidates) > {MOST_VARIANTS:,} that can be ranked"
        raise SpaceTooLarge(f"{facts}; {_named(found)}; name fewer of them in `contracts`")


def _named(several: Sequence[tuple[str, int]]) -> str:
    shown = ", ".join(f"{name} has {count:,} entries" for name, count in several[:_NAMED])
    return shown + (f" and {len(several) - _NAMED:,} more" if len(several) > _NAMED else "")
