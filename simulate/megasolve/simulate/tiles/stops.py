"""Reads the state in which a tile schedule stopped and says what its tiles wait for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np

from .arrays import names_of
from .tables.tables import TileTables

NAMED = 4
"""So many waits are named: the first ones in program order are the causes of the others."""


@dataclass(frozen=True, slots=True, eq=False)
class Stop:
    """A state in which nothing moves: the *ready* tiles that no worker has room for, and the *frames* under way.

    Frames are by section from the first that is not done on; an empty one, or one that is not there, is that of an untouched section.
    """

    tables: TileTables
    first_open: int
    ready: tuple[int, ...]
    frames: tuple[Sequence[int], ...]

    @property
    def unfinished(self) -> int:
        """How many tiles are not done."""
        sections = range(self.first_open, self.first_open + len(self.frames))
        touched = sum(self._frame(section)[0] for section in sections)
        first = self.first_open + len(self.frames)
        starts, repeats = self.tables.starts, self.tables.repeats
        if first > repeats + 1:
            return touched
        # Sections without a frame have all of their tiles: counted by kind, never made.
        untouched = max(repeats + 1 - max(first, 1), 0) * (starts[2] - starts[1]) + starts[3] - starts[2]
        return touched + untouched + (starts[1] if first == 0 else 0)

    def waiting(self) -> tuple[str, ...]:
        """Say of the first unfinished tiles what each waits for: staging space, or counters that never open."""
        return tuple(islice(_different(chain(self._without_room(), self._without_arrivals())), NAMED))

    def _template(self, section: int) -> Sequence[int]:
        links = self.tables.links
        kind = self.tables.kind(section)
        template = kind + (1 if kind == 2 or section > 1 else 0)
        values: list[int] = links.templates[links.template_starts[template] : links.template_starts[template + 1]].tolist()
        return values

    def _frame(self, section: int) -> Sequence[int]:
        behind = section - self.first_open
        return self.frames[behind] if behind < len(self.frames) and len(self.frames[behind]) else self._template(section)

    def _without_room(self) -> Iterator[str]:
        for tile in sorted(self.ready):
            section, row = divmod(tile, self.tables.stride)
            held = self.tables.costs.held_bytes(row)
            yield f"{self._name(section, row)} needs {held} bytes of staging, a worker has {self.tables.machine.staging_bytes}"

    def _without_arrivals(self) -> Iterator[str]:
        for section in range(self.first_open, self.tables.repeats + 2):
            kind = self.tables.kind(section)
            arrays, counters = self.tables.sections[kind], len(self.tables.sections[kind].targets)
            waits = np.array(self._frame(section)[1 + counters :], dtype=object)
            own, before = self._closed(section), self._closed(section - 1)
            own_names, past_names = names_of(arrays.counters), names_of(arrays.past)
            rows = np.flatnonzero(waits[arrays.waits_of] != 0) if len(arrays) else ()
            for row in rows:
                waited = arrays.waits[int(arrays.waits_of[row])]
                closed = [(name, own[name]) for name in (own_names[counter] for counter in waited if counter >= 0) if name in own]
                past = (past_names[-1 - counter] for counter in waited if counter < 0)
                closed += [(name, before[name]) for name in past if name in before]
                causes = ", ".join(f"'{name}' ({arrived} of {target} arrivals)" for name, (arrived, target) in closed[:NAMED])
                yield f"{self._name(section, self.tables.starts[kind] + int(row))} waits for {causes}"

    def _closed(self, section: int) -> dict[str, tuple[int, int]]:
        """Return the closed counters of *section*, each with its arrivals so far and its target."""
        if section < 0:
            return {}
        arrays = self.tables.sections[self.tables.kind(section)]
        targets = arrays.targets.tolist()
        # A section that is done has no frame any more; what its counters then lack follows from its tiles.
        missing = self._missing_when_done(section) if section < self.first_open else self._frame(section)[1 : 1 + len(targets)]
        named = zip(names_of(arrays.counters), targets, missing, strict=True)
        return {name: (target - left, target) for name, target, left in named if left > 0}

    def _missing_when_done(self, section: int) -> list[int]:
        arrays = self.tables.sections[self.tables.kind(section)]
        arrivals = np.zeros(len(arrays.targets), np.int64)
        times = np.repeat(np.bincount(arrays.signals_of, minlength=len(arrays.signals)), arrays.signals.sizes)
        np.add.at(arrivals, arrays.signals.members, times)
        return [target - arrived for target, arrived in zip(arrays.targets.tolist(), arrivals.tolist(), strict=True)]

    def _name(self, section: int, row: int) -> str:
        operator = self.tables.costs.operators[self.tables.costs.cost_of[row]]
        return f"{operator} (repeat {section})" if self.tables.kind(section) == 1 else operator


def stop_of(tables: TileTables, first_open: int, state: Sequence[int]) -> Stop:
    """Return the stop at the *state* that a run of *tables* left behind, in which sections before *first_open* are done."""
    frames: list[Sequence[int]] = []
    begins = 1
    for _ in range(state[0]):
        end = begins + 1 + state[begins]
        frames.append(state[begins + 1 : end])
        begins = end
    return Stop(tables, first_open, tuple(state[begins:]), tuple(frames))


def _different(waits: Iterator[str]) -> Iterator[str]:
    """Yield the first of each run of equal ones: the tiles of one operator mostly wait for the same."""
    last = ""
    for wait in waits:
        if wait != last:
            yield wait
        last = wait
