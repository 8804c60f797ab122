"""The tile graph: what each output tile loads, computes and stores, and which counters it waits for (paper, section IV-B).

A program is a prologue, a body that repeats (a layer, a codebook) and an epilogue. Repetition is never unrolled: a repeat has
the tiles and the counters of the body, under its own numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import overload

import numpy as np

from .arrays import SectionArrays, Spans, TilePlaces, figures, names_of
from .packing import packed
from .tile import Tile


class Tiles(Sequence[Tile]):
    """The tiles of a section one by one, each made when it is asked for."""

    def __init__(self, arrays: SectionArrays) -> None:
        self._arrays = arrays

    def __len__(self) -> int:
        return len(self._arrays)

    @overload
    def __getitem__(self, row: int) -> Tile: ...
    @overload
    def __getitem__(self, row: slice) -> tuple[Tile, ...]: ...

    def __getitem__(self, row: int | slice) -> Tile | tuple[Tile, ...]:
        if isinstance(row, slice):
            return tuple(self[at] for at in range(*row.indices(len(self))))
        at = range(len(self))[row]
        return self._tile(at)

    @cached_property
    def _names(self) -> tuple[list[str], list[str]]:
        return names_of(self._arrays.counters), names_of(self._arrays.past)

    def _tile(self, row: int) -> Tile:
        arrays, (own, past) = self._arrays, self._names
        costs, cost = arrays.costs, int(arrays.cost_of[row])
        waits = arrays.waits[int(arrays.waits_of[row])]
        return Tile(
            operator=costs.operators[costs.operator[cost]],
            compute_ps=int(costs.compute_ps[cost]),
            weight_bytes=int(costs.weight_bytes[cost]),
            activation_bytes=int(costs.activation_bytes[cost]),
            output_bytes=int(costs.output_bytes[cost]),
            staging_bytes=int(costs.staging_bytes[cost]),
            waits=tuple(own[counter] for counter in waits if counter >= 0),
            waits_before=tuple(past[-1 - counter] for counter in waits if counter < 0),
            signals=tuple(own[counter] for counter in arrays.signals[int(arrays.signals_of[row])]),
            is_opaque=bool(costs.is_opaque[cost]),
            spans=self._spans(row),
            waiting_ps=int(costs.waiting_ps[cost]),
            cached_weight_bytes=int(costs.cached_weight_bytes[cost]),
            cached_activation_bytes=int(costs.cached_activation_bytes[cost]),
            early_ps=int(costs.early_ps[cost]),
        )

    def _spans(self, row: int) -> Spans | None:
        places = self._arrays.places
        if places is None:
            return None
        return places.spans(row) if isinstance(places, TilePlaces) else places[row]


class TileSection:
    """Tiles in program order and the counters that they arrive at, each with the arrivals that open it, at once or *delays_ps* later.

    Raises
    ------
    ValueError
        If a tile waits for, or arrives at, a counter that is not declared, or one is declared twice.
    """

    __slots__ = ("arrays", "tiles")

    def __init__(
        self,
        tiles: Sequence[Tile] = (),
        counters: Sequence[tuple[str, int]] = (),
        delays_ps: Mapping[str, int] | None = None,
        *,
        arrays: SectionArrays | None = None,
    ) -> None:
        self.arrays = packed(tiles, counters, delays_ps or {}) if arrays is None else arrays
        self.tiles = Tiles(self.arrays)

    @property
    def operators(self) -> tuple[str, ...]:
        """The operators of the tiles, in program order."""
        costs = self.arrays.costs
        numbers, rows = np.unique(costs.operator[self.arrays.cost_of], return_index=True)
        return tuple(costs.operators[number] for number in numbers[np.argsort(rows)])

    @property
    def counters(self) -> tuple[tuple[str, int], ...]:
        """Each counter with its target."""
        return tuple(zip(names_of(self.arrays.counters), map(int, self.arrays.targets), strict=True))

    @property
    def delays_ps(self) -> dict[str, int]:
        """How long after its last needed arrival each counter opens, where that is not at once."""
        delays = zip(names_of(self.arrays.counters), map(int, self.arrays.opens_after_ps), strict=True)
        return {name: delay for name, delay in delays if delay}


@dataclass(frozen=True, slots=True, eq=False)
class TileProgram:
    """What a region executes once: *prologue*, *repeats* times *body*, *epilogue*."""

    prologue: TileSection = field(default_factory=TileSection)
    body: TileSection = field(default_factory=TileSection)
    epilogue: TileSection = field(default_factory=TileSection)
    repeats: int = 0

    @property
    def sections(self) -> tuple[tuple[TileSection, int], ...]:
        """The sections, each with how often it runs."""
        return (self.prologue, 1), (self.body, self.repeats), (self.epilogue, 1)

    @property
    def tile_count(self) -> int:
        """All tiles, repeats included."""
        return sum(times * len(section.arrays) for section, times in self.sections)

    def tile(self, position: int) -> Tile:
        """Return the tile at *position* in program order, repeats counted."""
        prologue, body, epilogue = self.prologue.tiles, self.body.tiles, self.epilogue.tiles
        behind = position - len(prologue)
        if behind < 0:
            return prologue[position]
        repeated = self.repeats * len(body)
        return body[behind % len(body)] if behind < repeated else epilogue[behind - repeated]


def scaled(program: TileProgram, factors: Mapping[str, Fraction]) -> TileProgram:
    """Return *program* with what its operators compute multiplied by their *factors*, rounded up; not what their tiles pay for waiting.

    The time of an opaque operator is observed; only times of tiles are estimates.
    """
    prologue, body, epilogue = (TileSection(arrays=_scaled(section.arrays, factors)) for section, _ in program.sections)
    return TileProgram(prologue, body, epilogue, program.repeats)


def _scaled(arrays: SectionArrays, factors: Mapping[str, Fraction]) -> SectionArrays:
    costs = arrays.costs
    known = zip(costs.compute_ps.tolist(), costs.waiting_ps.tolist(), costs.operator.tolist(), costs.is_opaque.tolist(), strict=True)
    compute_ps = figures(
        # What a contract states for waits is measured by itself; calibration is of the estimates beside it.
        compute if opaque else ceil((compute - waiting) * factors.get(costs.operators[operator], 1)) + waiting
        for compute, waiting, operator, opaque in known
    )
    by_cost = zip(costs.early_ps.tolist(), costs.operator.tolist(), strict=True)
    early_ps = figures(floor(early * factors.get(costs.operators[operator], 1)) for early, operator in by_cost)
    return replace(arrays, costs=replace(costs, compute_ps=compute_ps, early_ps=early_ps))
