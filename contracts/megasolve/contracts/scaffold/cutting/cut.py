"""Which kernels of a trace become which group: as coarsely or as finely as was asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import groupby

from ...observe.observation import GroupRule, StepPlaces
from ...observe.structure.anatomy import Anatomy
from ...observe.structure.blocks import LayerBlock
from ..words.names import numbered
from .naming import PlaceName, kernel_names, modules

BEFORE, STEP, AFTER = "before", "step", "after"


class Cut(Enum):
    """How finely: what is before, in and after the steps; the layers of a step; the modules of a layer; its kernels."""

    PHASES = "phases"
    LAYERS = "layers"
    MODULES = "modules"
    KERNELS = "kernels"


@dataclass(frozen=True, slots=True)
class RepeatedGroups:
    """A block of *groups* that a step runs *times* times in a row."""

    name: str
    times: int
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CutGroups:
    """The *rules* that tell the groups of a cut apart, in order of their kernels, and which of them repeat."""

    rules: tuple[GroupRule, ...]
    repeats: tuple[RepeatedGroups, ...] = ()


def cut_groups(found: Anatomy, cut: Cut, names: Sequence[PlaceName]) -> CutGroups:
    """Return the groups of *found* at the granularity of *cut*; *names* are those of the kernels of its pattern."""
    parts = [part for segment in _segments(found, cut) for part in _parts(segment, names, cut)]
    inside = [replace(part, rule=replace(part.rule, group=name)) for part, name in zip(parts, _names(parts), strict=True)]
    before = [GroupRule(BEFORE, part="before")] if found.before else []
    after = [GroupRule(AFTER, part="after")] if found.after else []
    blocks = groupby((part for part in inside if part.segment.block is not None), key=lambda part: part.segment)
    repeats = [RepeatedGroups(of.name, of.times, tuple(part.rule.group for part in members)) for of, members in blocks]
    return CutGroups((*before, *(part.rule for part in inside), *after), tuple(repeats))


@dataclass(frozen=True, slots=True)
class _Segment:
    """Kernels of a step that belong to one *block* of layers, or stand before, between or after blocks."""

    name: str
    first: int
    kernels: int
    block: LayerBlock | None = None

    @property
    def times(self) -> int:
        return 1 if self.block is None else self.block.times

    def places(self, first: int, kernels: int) -> StepPlaces:
        """Return *kernels* of it from *first* on, in each layer."""
        start = self.first + first
        return StepPlaces(start, kernels) if self.block is None else StepPlaces(start, kernels, self.kernels, self.times)


@dataclass(frozen=True, slots=True)
class _Part:
    """One group within a segment."""

    segment: _Segment
    rule: GroupRule


def _segments(found: Anatomy, cut: Cut) -> Iterator[_Segment]:
    """Yield the blocks and what is around them; a step that is cut no further is one segment."""
    blocks = () if cut is Cut.PHASES else found.blocks
    reached = 0
    for number, block in enumerate(blocks, 1):
        if block.first > reached:
            yield _Segment(f"between_{number - 1}" if reached else "head", reached, block.first - reached)
        yield _Segment(f"layer_{number}" if len(blocks) > 1 else "layer", block.first, block.period, block)
        reached = block.end
    if len(found.pattern) > reached:
        yield _Segment("tail" if reached else STEP, reached, len(found.pattern) - reached)


def _parts(segment: _Segment, names: Sequence[PlaceName], cut: Cut) -> Iterator[_Part]:
    mine = names[segment.first : segment.first + segment.kernels]
    # Without layers nothing but recorded modules parts a step.
    is_one = segment.block is None and (segment.name != STEP or (cut is Cut.MODULES and not any(name.modules for name in mine)))
    if cut in (Cut.PHASES, Cut.LAYERS) or is_one:
        places = None if segment.name == STEP else segment.places(0, segment.kernels)
        yield _Part(segment, GroupRule(segment.name, places=places))
        return
    runs = [(name, 1) for name in kernel_names(mine)] if cut is Cut.KERNELS else list(modules(mine))
    reached = 0
    for name, kernels in runs:
        yield _Part(segment, GroupRule(f"{segment.name}.{name}", places=segment.places(reached, kernels)))
        reached += kernels


def _names(parts: Sequence[_Part]) -> Iterator[str]:
    """Yield the names of *parts*, each once and none that stands for what is outside of the steps."""
    return (name for name in list(numbered([BEFORE, AFTER, *(part.rule.group for part in parts)]))[2:])
