"""The tile graph: what each output tile loads, computes and stores, and which counters it waits for (paper, section IV-B).

A program is a prologue, a body that repeats (a layer, a codebook) and an epilogue. Repetition is never unrolled: a repeat has
the tiles and the counters of the body, under its own numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from megasolve.contracts.operators.work import Span

Spans: TypeAlias = tuple[Span, Span, Span]
"""Intervals of the rows, columns and depth of an operator's output; each ends before its second number."""


@dataclass(frozen=True, slots=True)
class Tile:
    """One task: *compute_ps* on one worker after one load of its weights and activations, then one store of its output.

    *staging_bytes* is held from start to end of compute; it includes the output, so a tile never holds less than
    *output_bytes*. *waits* names counters of the same section, *waits_before* those of the section before it (the previous
    repeat, or the prologue before the first), where that section has them; each name costs the machine's *wait_ps*.
    *signals* names the counters of its own section at which it arrives when it is done. An *opaque* tile takes all workers
    and no staging; the barriers on both sides of it are counters of the program like any other. *spans* say which part of the
    operator's output it computes, where that is known; the first tile of an execution begins at 0 on every axis.
    """

    operator: str
    compute_ps: int
    weight_bytes: int = 0
    activation_bytes: int = 0
    output_bytes: int = 0
    staging_bytes: int = 0
    waits: tuple[str, ...] = ()
    waits_before: tuple[str, ...] = ()
    signals: tuple[str, ...] = ()
    is_opaque: bool = False
    spans: Spans | None = None


@dataclass(frozen=True, slots=True)
class TileSection:
    """Tiles in program order and the counters that they arrive at, each with the arrivals that open it."""

    tiles: tuple[Tile, ...] = ()
    counters: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class TileProgram:
    """What a region executes once: *prologue*, *repeats* times *body*, *epilogue*."""

    prologue: TileSection = TileSection()
    body: TileSection = TileSection()
    epilogue: TileSection = TileSection()
    repeats: int = 0

    @property
    def tile_count(self) -> int:
        """All tiles, repeats included."""
        return len(self.prologue.tiles) + self.repeats * len(self.body.tiles) + len(self.epilogue.tiles)

    def tile(self, position: int) -> Tile:
        """Return the tile at *position* in program order, repeats counted."""
        prologue, body, epilogue = self.prologue.tiles, self.body.tiles, self.epilogue.tiles
        behind = position - len(prologue)
        if behind < 0:
            return prologue[position]
        repeated = self.repeats * len(body)
        return body[behind % len(body)] if behind < repeated else epilogue[behind - repeated]


@dataclass(frozen=True, slots=True)
class TileMachine:
    """What the tiles run on: *workers* CTAs that share one memory queue and, *per_port* at a time, one SM's port.

    Workers are numbered SM by SM: the first *per_port* of them share the first port. *staging_bytes* is the space of one
    worker (None: without limit). *latency_ps* delays a transfer and occupies nothing. *wait_ps* is added to the compute time
    of a tile for each counter that it waits for.
    """

    workers: int
    bandwidth_bytes_per_s: int
    port_bytes_per_s: int | None = None
    per_port: int = 1
    staging_bytes: int | None = None
    latency_ps: int = 0
    wait_ps: int = 0
    prefetch: bool = False
