"""Flat tables of a tile program: what the scheduler looks up for every tile, without unrolling the repeats.

The distinct tiles (prologue, body, epilogue in this order) are the rows; sections are 0 (prologue), 1 to *repeats* (body) and
*repeats* + 1 (epilogue). `kernel.cells` says how they are laid out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import SectionArrays
from ..machine import TileMachine
from ..program import TileProgram, TileSection
from .costs import CostTable, cost_table
from .links import Links, links_of


@dataclass(frozen=True, slots=True, eq=False)
class TileTables:
    """A program on a machine, ready to be scheduled: the tables of the kernel, and the sections that they are of."""

    sections: tuple[SectionArrays, SectionArrays, SectionArrays]
    repeats: int
    tile_count: int
    machine: TileMachine
    costs: CostTable
    links: Links

    @property
    def starts(self) -> tuple[int, int, int, int]:
        """The first row of each kind of section, and the end."""
        first, second, third = (len(section) for section in self.sections)
        return 0, first, first + second, first + second + third

    @property
    def stride(self) -> int:
        """How many numbers a section takes: a power of two, at least the number of rows."""
        # Section and row of a tile are then a shift and a mask, in the innermost loop.
        return 1 << max(self.starts[3] - 1, 0).bit_length()

    def kind(self, section: int) -> int:
        """Return 0 for the prologue, 1 for a repeat of the body, 2 for the epilogue."""
        return 0 if section == 0 else 1 if section <= self.repeats else 2

    def row(self, position: int) -> int:
        """Return the row of the tile at *position* in program order, repeats counted."""
        first, body = self.starts[1], self.starts[2] - self.starts[1]
        behind = position - first - self.repeats * body
        return position if position < first else first + (position - first) % body if behind < 0 else self.starts[2] + behind

    @property
    def first_with_weights(self) -> list[int]:
        """The first row of each kind of section that has weights to prefetch; -1: none."""
        found = []
        for kind in range(3):
            first, end = self.starts[kind], self.starts[kind + 1]
            rows = np.flatnonzero(self.costs.is_staged[self.costs.cost_of[first:end]])
            found.append(first + int(rows[0]) if len(rows) else -1)
        return found


def worker_bits(machine: TileMachine) -> int:
    """Return how many bits the number of a worker takes."""
    return max(machine.workers - 1, 1).bit_length()


def counter_bits(links: Links) -> int:
    """Return how many bits the number of a counter in its section takes."""
    return max(max(links.counter_counts) - 1, 1).bit_length()


def tables_of(program: TileProgram, machine: TileMachine) -> TileTables:
    """Return the tables of *program* on *machine*.

    Raises
    ------
    ValueError
        If a tile waits for a counter that no section before it has; or if the machine has no worker or no bandwidth; or if an opaque
        tile, which takes all workers, would have one of its own.
    """
    if machine.workers < 1 or machine.bandwidth_bytes_per_s < 1:
        raise ValueError(f"{machine.workers} workers and {machine.bandwidth_bytes_per_s} bytes per second schedule nothing")
    if machine.is_static and any(bool(section.arrays.costs.is_opaque.any()) for section, _ in program.sections):
        raise ValueError("an opaque tile takes all workers, and in static order each tile has one of its own")
    # The body counts as empty where it is never repeated.
    sections = program.prologue.arrays, program.body.arrays if program.repeats else TileSection().arrays, program.epilogue.arrays
    return TileTables(
        sections=sections,
        repeats=program.repeats,
        tile_count=program.tile_count,
        machine=machine,
        costs=cost_table(sections, (1, program.repeats, 1), machine),
        links=links_of(program, sections),
    )
