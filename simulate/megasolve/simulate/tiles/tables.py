"""Flat tables of a tile program: what the scheduler looks up for every tile, without unrolling the repeats.

The distinct tiles (prologue, body, epilogue in this order) are the rows. A tile of the unrolled program has the number
section * stride + row, where the sections are 0 (prologue), 1 to *repeats* (body) and *repeats* + 1 (epilogue), and *stride*
is the number of rows: numbers grow in program order, and the row is a remainder. Counters of all sections have one numbering.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from megasolve.contracts import PS_PER_SECOND

from .program import Tile, TileMachine, TileProgram, TileSection

Lists: TypeAlias = tuple[tuple[int, ...], ...]


def transfer_ps(size_bytes: int, bytes_per_s: int) -> int:
    """Return how long *size_bytes* take, rounded up to a whole picosecond."""
    return -(-size_bytes * PS_PER_SECOND // bytes_per_s)


def held_bytes(tile: Tile) -> int:
    """Return the staging that *tile* holds from start to end of compute: at least its output, nothing if it is opaque."""
    return 0 if tile.is_opaque else max(tile.staging_bytes, tile.output_bytes)


def sections_of(program: TileProgram) -> tuple[TileSection, TileSection, TileSection]:
    """Return the sections that are executed: the body counts as empty where it is never repeated."""
    return program.prologue, program.body if program.repeats else TileSection(), program.epilogue


Transfer: TypeAlias = tuple[int, int, int]
"""Picoseconds in the queue and in the port (0: no port limits it), and how many workers wait for its service."""


@dataclass(frozen=True, slots=True)
class Row:
    """What a tile takes, whichever repeat it is in; bytes of an opaque tile are transferred, but neither staged nor held.

    *load* is for a tile that is not staged, *staged_load* for one that is, whose *weights* were loaded before; one of 0 ps
    does not happen. *slot_bytes* are the weights that a slot has to take (0: nothing to prefetch). *held_bytes* is held from
    start to end of compute: *freed_bytes* then, the rest, *output_bytes*, once it is stored. *room* numbers the different
    amounts held; an opaque tile, which needs workers and no room, has a number of its own. *width* is how many workers it
    takes. *signals* are counters.
    """

    number: int
    tile: Tile
    compute_ps: int
    load: Transfer
    staged_load: Transfer
    weights: Transfer
    store: Transfer
    slot_bytes: int
    held_bytes: int
    freed_bytes: int
    output_bytes: int
    room: int
    width: int
    is_opaque: bool
    signals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Who arrives where and who waits for what, by row and by counter; *firsts* has the first counter of each kind of section.

    *waiters* are the rows of a counter's own section, *next_repeat* and *next_epilogue* those of a body, or of the epilogue,
    that stands right after that section. *targets* is what opens a counter; a target of 0 is open from the start. By row,
    *waits* is how many closed counters a tile starts with, *repeat_waits* the same where the section before is a body too.
    """

    names: tuple[str, ...]
    firsts: tuple[int, int, int, int]
    targets: tuple[int, ...]
    waiters: Lists
    next_repeat: Lists
    next_epilogue: Lists
    waits: tuple[int, ...]
    repeat_waits: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TileTables:
    """A program on a machine, ready to be scheduled. *starts* has the first row of each kind of section, and the end."""

    stride: int
    repeats: int
    tile_count: int
    starts: tuple[int, int, int, int]
    rows: tuple[Row, ...]
    rooms: int
    dependencies: Dependencies

    def kind(self, section: int) -> int:
        """Return 0 for the prologue, 1 for a repeat of the body, 2 for the epilogue."""
        return 0 if section == 0 else 1 if section <= self.repeats else 2

    def rows_of(self, section: int) -> range:
        """Return the numbers of the rows of *section*."""
        kind = self.kind(section)
        return range(self.starts[kind], self.starts[kind + 1])

    @property
    def busy_ps(self) -> int:
        """The compute time of all workers in all tiles."""
        first, end = self.starts[1:3]
        return sum((self.repeats if first <= row.number < end else 1) * row.compute_ps * row.width for row in self.rows)

    def position(self, tile: int) -> int:
        """Return the position in program order of the tile with number *tile*."""
        section, row = divmod(tile, self.stride)
        skipped = min(max(section - 1, 0), max(self.repeats - 1, 0))
        return row + skipped * (self.starts[2] - self.starts[1])


def tables_of(program: TileProgram, machine: TileMachine) -> TileTables:
    """Return the tables of *program* on *machine*.

    Raises
    ------
    ValueError
        If a tile names a counter that neither its section nor, for *waits_before*, any section before it has; if a counter
        is declared twice; or if the machine has no worker or no bandwidth.
    """
    if machine.workers < 1 or machine.bandwidth_bytes_per_s < 1:
        raise ValueError(f"{machine.workers} workers and {machine.bandwidth_bytes_per_s} bytes per second schedule nothing")
    _check_counters(program)
    sections = sections_of(program)
    numbers = _numbers(sections)
    tiles = [(tile, tuple(numbers[kind][name] for name in tile.signals)) for kind in range(3) for tile in sections[kind].tiles]
    rooms = {room: number for number, room in enumerate(dict.fromkeys(_room(tile) for tile, _ in tiles))}
    ends = [sum(len(section.tiles) for section in sections[:kind]) for kind in range(4)]
    starts = (ends[0], ends[1], ends[2], ends[3])
    return TileTables(
        stride=max(len(tiles), 1),
        repeats=program.repeats,
        tile_count=program.tile_count,
        starts=starts,
        rows=tuple(_row(number, tile, signals, rooms[_room(tile)], machine) for number, (tile, signals) in enumerate(tiles)),
        rooms=len(rooms),
        dependencies=_dependencies(sections, numbers, starts, program.repeats),
    )


def _room(tile: Tile) -> int:
    return -1 if tile.is_opaque else held_bytes(tile)


def _row(number: int, tile: Tile, signals: tuple[int, ...], room: int, machine: TileMachine) -> Row:
    held, output = held_bytes(tile), 0 if tile.is_opaque else tile.output_bytes
    width = machine.workers if tile.is_opaque else 1
    return Row(
        number=number,
        tile=tile,
        compute_ps=tile.compute_ps + machine.wait_ps * (len(tile.waits) + len(tile.waits_before)),
        load=_transfer(tile, tile.weight_bytes + tile.activation_bytes, machine, width),
        staged_load=_transfer(tile, tile.activation_bytes, machine, 1),
        weights=_transfer(tile, tile.weight_bytes, machine, 0),
        store=_transfer(tile, tile.output_bytes, machine, 0),
        slot_bytes=tile.weight_bytes if machine.prefetch and not tile.is_opaque else 0,
        held_bytes=held,
        freed_bytes=held - output,
        output_bytes=output,
        room=room,
        width=width,
        is_opaque=tile.is_opaque,
        signals=signals,
    )


def _transfer(tile: Tile, size_bytes: int, machine: TileMachine, waiting: int) -> Transfer:
    """An opaque operator loads and stores through all SMs, so no port limits it."""
    port_bytes_per_s = None if tile.is_opaque else machine.port_bytes_per_s
    port_ps = transfer_ps(size_bytes, port_bytes_per_s) if port_bytes_per_s is not None else 0
    return transfer_ps(size_bytes, machine.bandwidth_bytes_per_s), port_ps, waiting


def _dependencies(
    sections: tuple[TileSection, ...], numbers: list[dict[str, int]], starts: tuple[int, int, int, int], repeats: int
) -> Dependencies:
    ends = [sum(map(len, numbers[:kind])) for kind in range(4)]
    own = (_pairs(numbers[kind], starts[kind], sections[kind], lambda tile: tile.waits) for kind in range(3))
    before = [
        [pair for kind in range(2) for pair in _pairs(numbers[kind], starts[after], sections[after], lambda tile: tile.waits_before)]
        for after in (1, 2)
    ]
    return Dependencies(
        names=tuple(name for named in numbers for name in named),
        firsts=(ends[0], ends[1], ends[2], ends[3]),
        targets=tuple(target for section in sections for _, target in section.counters),
        waiters=_grouped((pair for pairs in own for pair in pairs), ends[3]),
        next_repeat=_grouped(before[0], ends[3]),
        next_epilogue=_grouped(before[1], ends[3]),
        waits=_waits(sections, (None, sections[0], sections[1] if repeats else sections[0])),
        repeat_waits=_waits(sections, (None, sections[1], None)),
    )


def _waits(sections: Sequence[TileSection], before: Sequence[TileSection | None]) -> tuple[int, ...]:
    """Return by row how many counters are closed at first: those with a target, of the section itself and of the one *before*."""
    found: list[int] = []
    for section, earlier in zip(sections, before, strict=True):
        own = dict(section.counters)
        past = dict(earlier.counters) if earlier else {}
        found += [
            sum(own[name] > 0 for name in tile.waits) + sum(past.get(name, 0) > 0 for name in tile.waits_before) for tile in section.tiles
        ]
    return tuple(found)


def _numbers(sections: Iterable[TileSection]) -> list[dict[str, int]]:
    numbers: list[dict[str, int]] = []
    first = 0
    for section in sections:
        numbers.append({name: first + index for index, (name, _) in enumerate(section.counters)})
        first += len(section.counters)
    return numbers


def _check_counters(program: TileProgram) -> None:
    """Refuse names that stand for nothing: a wait that no section could ever open would be dropped in silence."""
    prologue, body, epilogue = (dict(section.counters) for section in (program.prologue, program.body, program.epilogue))
    last = body if program.repeats else {**prologue, **body}
    for section, own, before in (
        (program.prologue, prologue, {}),
        (program.body, body, {**prologue, **body}),
        (program.epilogue, epilogue, last),
    ):
        if len(own) < len(section.counters):
            raise ValueError(f"a section declares a counter twice; it has {', '.join(name for name, _ in section.counters)}")
        for tile in section.tiles:
            _check_names(tile, "waits for", tile.waits, own)
            _check_names(tile, "arrives at", tile.signals, own)
            _check_names(tile, "waits, in the section before, for", tile.waits_before, before)


def _check_names(tile: Tile, does: str, names: tuple[str, ...], known: dict[str, int]) -> None:
    for name in names:
        if name not in known:
            raise ValueError(f"{tile.operator} {does} counter '{name}', which is not declared; there are {', '.join(known) or 'none'}")


def _pairs(numbers: dict[str, int], first: int, section: TileSection, waits: Callable[[Tile], tuple[str, ...]]) -> list[tuple[int, int]]:
    """Pair each counter of *numbers* with each row of *section* that waits for it."""
    return [(numbers[name], first + index) for index, tile in enumerate(section.tiles) for name in waits(tile) if name in numbers]


def _grouped(pairs: Iterable[tuple[int, int]], count: int) -> Lists:
    groups: list[list[int]] = [[] for _ in range(count)]
    for counter, row in pairs:
        groups[counter].append(row)
    return tuple(map(tuple, groups))
