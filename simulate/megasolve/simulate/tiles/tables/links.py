"""Who arrives where and who waits for what: the lists that the scheduler follows from a tile to the tiles that it makes ready."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ..arrays import CounterNames, Figures, Numbers, SectionArrays, Sets, grouped, joined, names_of
from ..program import TileProgram

Longs = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Lists of numbers, one behind the other: those of i are members[pointers[i]:pointers[i + 1]].

    First those of the sets of signals; *list_starts* has where those begin of the sets that wait for each counter in its own section,
    in a body and in an epilogue right after it, and of the rows of each set of waits. *templates* are the frames, one behind the other,
    of an untouched prologue, first body, later body and epilogue: how many tiles are not done, what opens each counter, and for how
    many closed counters each set waits. *delays_ps* says of the counters of all three kinds how much later each opens.
    """

    waits_of: Numbers
    signals_of: Numbers
    pointers: Longs
    members: Numbers
    list_starts: tuple[int, int, int, int]
    templates: Figures
    template_starts: tuple[int, ...]
    counter_counts: tuple[int, int, int]
    delays_ps: Figures


def links_of(program: TileProgram, sections: tuple[SectionArrays, SectionArrays, SectionArrays]) -> Links:
    """Return the links of *program*, of which these *sections* run.

    Raises
    ------
    ValueError
        If a tile waits for a counter that no section before it has.
    """
    _check_past(program)
    past = _Past(sections, program.repeats)
    signals = [section.signals for section in sections]
    waiters = [grouped(*_own_waits(section), len(section.targets)) for section in sections]
    rows = [_rows_of_sets(section, first) for section, first in zip(sections, _firsts(sections), strict=True)]
    to_body = [past.waiters(kind, 1) for kind in range(3)]
    to_epilogue = [past.waiters(kind, 2) for kind in range(3)]
    lists = (signals, waiters, to_body, to_epilogue, rows)
    starts = list(accumulate(sum(map(len, sets)) for sets in lists))
    everything = _concatenated([one for sets in lists for one in sets])
    templates = past.templates()
    return Links(
        waits_of=np.concatenate([section.waits_of for section in sections]),
        signals_of=np.concatenate([section.signals_of + first for section, first in zip(sections, _starts(signals), strict=True)]),
        pointers=everything.pointers,
        members=everything.members,
        list_starts=(starts[0], starts[1], starts[2], starts[3]),
        templates=joined(templates),
        template_starts=tuple(accumulate(map(len, templates), initial=0)),
        counter_counts=(len(sections[0].targets), len(sections[1].targets), len(sections[2].targets)),
        delays_ps=joined([section.opens_after_ps for section in sections]),
    )


def _firsts(sections: Sequence[SectionArrays]) -> list[int]:
    return list(accumulate(map(len, sections), initial=0))[:-1]


def _starts(sets: Sequence[Sets]) -> Numbers:
    return np.array(list(accumulate(map(len, sets), initial=0))[:-1], np.int32)


def _rows_of_sets(section: SectionArrays, first: int) -> Sets:
    return grouped(np.arange(first, first + len(section), dtype=np.int32), section.waits_of, len(section.waits))


def _concatenated(sets: Sequence[Sets]) -> Sets:
    ends = list(accumulate((len(one.members) for one in sets), initial=0))
    pointers = [one.pointers[:-1] + first for one, first in zip(sets, ends[:-1], strict=True)]
    return Sets(np.concatenate([*pointers, np.array([ends[-1]], np.int64)]), np.concatenate([one.members for one in sets]))


def _own_waits(section: SectionArrays) -> tuple[Numbers, Numbers]:
    """Return the pairs of a set and a counter of its own section that it waits for."""
    sets, waited = _pairs(section)
    return sets[waited >= 0], waited[waited >= 0]


def _pairs(section: SectionArrays) -> tuple[Numbers, Numbers]:
    return np.repeat(np.arange(len(section.waits), dtype=np.int32), section.waits.sizes), section.waits.members


class _Past:
    """Where the counters of a section before are, as the sections that look for them there name them."""

    def __init__(self, sections: tuple[SectionArrays, SectionArrays, SectionArrays], repeats: int) -> None:
        self._sections = sections
        self._before = (None, sections[0], sections[1] if repeats else sections[0])
        self._found = {(kind, after): resolved(sections[after].past, sections[kind].counters) for kind in (0, 1) for after in (1, 2)}

    def waiters(self, kind: int, after: int) -> Sets:
        """Return for each counter of a section the sets of one right *after* it that wait for it."""
        section = self._sections[kind]
        if kind == 2:
            return Sets(np.zeros(len(section.targets) + 1, np.int64), np.zeros(0, np.int32))
        sets, counters = self._pairs(kind, after)
        return grouped(sets, counters, len(section.targets))

    def _pairs(self, kind: int, after: int) -> tuple[Numbers, Numbers]:
        """Return the pairs of a set of section *after* and a counter of the one before that it waits for."""
        sets, waited = _pairs(self._sections[after])
        counters = self._found[kind, after][-1 - waited[waited < 0]]
        return sets[waited < 0][counters >= 0], counters[counters >= 0]

    def templates(self) -> list[Figures]:
        """Return the frames of untouched sections: the first body follows the prologue, later ones a body."""
        last = 1 if self._before[2] is self._sections[1] else 0
        return [self._template(0, None), self._template(1, 0), self._template(1, 1), self._template(2, last)]

    def _template(self, kind: int, before: int | None) -> Figures:
        section = self._sections[kind]
        waits = np.zeros(len(section.waits), np.int64)
        own_sets, own = _own_waits(section)
        _count(waits, own_sets, section.targets, own)
        if before is not None:
            sets, counters = self._pairs(before, kind)
            _count(waits, sets, self._sections[before].targets, counters)
        return joined([np.array([len(section)], np.int64), section.targets, waits])


def _count(waits: Longs, sets: Numbers, targets: Figures, counters: Numbers) -> None:
    """Count for each of *sets* the counters beside it that are closed at first."""
    np.add.at(waits, sets[(targets[counters] > 0).astype(np.bool_)], 1)


def resolved(past: Sequence[CounterNames], known: Sequence[CounterNames]) -> Numbers:
    """Return the number in *known* of each counter in *past*; -1 where it is not there."""
    firsts = dict(zip((block.label for block in known), accumulate((len(block.suffixes) for block in known), initial=0), strict=False))
    known_as = ((firsts.get(block.label), len(block.suffixes)) for block in past)
    found = [-np.ones(count, np.int64) if first is None else np.arange(first, first + count) for first, count in known_as]
    return np.concatenate([*found, np.zeros(0, np.int64)]).astype(np.int32)


def _check_past(program: TileProgram) -> None:
    """Refuse names that stand for nothing: a wait that no section could ever open would be dropped in silence."""
    prologue, body, epilogue = program.prologue.arrays, program.body.arrays, program.epilogue.arrays
    last = body.counters if program.repeats else (*prologue.counters, *body.counters)
    for section, before in ((prologue, ()), (body, (*prologue.counters, *body.counters)), (epilogue, last)):
        labels = {block.label for block in before}
        missing = next((number for number, block in enumerate(section.past) if block.label not in labels), None)
        if missing is not None:
            raise ValueError(_unknown(section, missing, names_of(before)))


def _unknown(section: SectionArrays, missing: int, known: Sequence[str]) -> str:
    """Say which tile waits for a counter that is nowhere before it."""
    first = sum(len(block.suffixes) for block in section.past[:missing])
    sets, waited = _pairs(section)
    row = int(np.flatnonzero(np.isin(section.waits_of, sets[waited == -1 - first]))[0])
    costs = section.costs
    operator = costs.operators[costs.operator[section.cost_of[row]]]
    name = names_of(section.past)[first]
    return f"{operator} waits, in the section before, for counter '{name}', which is not declared; there are {', '.join(known) or 'none'}"
