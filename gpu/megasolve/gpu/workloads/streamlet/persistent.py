"""The compiler of instruction programs: calls, and the tile programs that `simulate` schedules, to instructions and counters.

Geometry and dependencies come from the tile programs alone. What is added here are operands, and the counters between calls: the first
tiles of a call wait for the last tiles of every call that it depends on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from megasolve.contracts import Spec
from megasolve.simulate.tiles.program import TileProgram
from megasolve.simulate.tiles.tile import Tile

from ...errors import GpuError
from ...programs.executions import executions, sections, spans_of
from ...programs.group_calls import Call, Streams, dependencies
from ...programs.instructions import Instruction, InstructionProgram, Origin, encoded
from ...programs.operation import Operation
from ...programs.operations import OPERATIONS
from .model import Model
from .operators import operands_of

CounterKey: TypeAlias = tuple[Call, int, str]
"""A counter before it has a number: its call, the section of the call, and its name there."""

_DONE = -1, "done"
"""The counter of a call as a whole, which no section has."""


@dataclass(slots=True)
class _Draft:
    """An instruction whose counters have no numbers yet."""

    operation: Operation
    arguments: tuple[int, ...]
    origin: int
    waits: list[CounterKey] = field(default_factory=list)
    signals: list[CounterKey] = field(default_factory=list)


def compile_program(model: Model, spec: Spec, tiles: Mapping[str, TileProgram], streams: Streams) -> InstructionProgram:
    """Return the program that runs the calls of *streams*, with the tile program of each group.

    The tile programs are those of the entry, or entries, that run the groups (`tile_programs`).

    Raises
    ------
    GpuError
        A group has no tile program, an operator is none of the model's, or a call has steps that the model has no room for.
    """
    calls = streams.calls
    require_room(model, spec, calls)
    origins: list[Origin] = []
    drafts = {call: _drafts(model, call, _program_of(tiles, call), origins) for call in calls}
    # Calls are keys here, so one that stands twice shows as one that is missing.
    if len(drafts) < len(calls):
        raise GpuError(f"a call stands twice among {', '.join(map(str, calls))}")
    _join_calls(spec, drafts)
    instructions, counters = _numbered([draft for call in calls for draft in drafts[call]])
    return encoded(instructions, counters, origins, _ranges(streams, drafts))


def require_room(model: Model, spec: Spec, calls: Iterable[Call]) -> None:
    """Refuse calls of steps or chunks that the tensors have no room for.

    Raises
    ------
    GpuError
        The message says what makes room.
    """
    most = {"admission": 1, "producer": model.sizes.steps, "consumer": model.sizes.chunks}
    roles = {group.name: group.role for group in spec.groups}
    for call in calls:
        if call.group not in roles:
            raise GpuError(f"spec '{spec.name}' has no group '{call.group}'")
        limit = most[roles[call.group]]
        if not 1 <= call.number <= limit:
            raise GpuError(f"call {call}: the model has room for {limit} of '{call.group}'; raise the symbol 'steps'")


def _program_of(tiles: Mapping[str, TileProgram], call: Call) -> TileProgram:
    if call.group not in tiles:
        raise GpuError(f"no entry runs group '{call.group}'; there are programs of {', '.join(tiles) or 'none'}")
    return tiles[call.group]


def _drafts(model: Model, call: Call, program: TileProgram, origins: list[Origin]) -> list[_Draft]:
    """Return the tiles of *call* in program order, and append where they are from to *origins*."""
    names = [frozenset(name for name, _ in section.counters) for section in sections(program)]
    drafts = []
    for execution in executions(program):
        operands = operands_of(model, call, execution.operator, execution.layer)
        origins.append(Origin(call, execution.operator, execution.layer))
        for tile in execution.tiles:
            draft = _Draft(OPERATIONS[operands.operation], operands.arguments(spans_of(tile)), len(origins) - 1)
            draft.waits.extend(_awaited(call, execution.section, tile, names))
            draft.signals.extend((call, execution.section, name) for name in tile.signals)
            drafts.append(draft)
    return drafts


def _awaited(call: Call, section: int, tile: Tile, names: Sequence[frozenset[str]]) -> Iterator[CounterKey]:
    """Yield the counters of its own section that *tile* waits for, and those of the section before it, where that has them."""
    yield from ((call, section, name) for name in tile.waits)
    if section:
        yield from ((call, section - 1, name) for name in tile.waits_before if name in names[section - 1])


def _join_calls(spec: Spec, drafts: Mapping[Call, list[_Draft]]) -> None:
    """Let the first tiles of each call wait for the last tiles of the calls that it depends on."""
    needed = _direct(spec, list(drafts))
    ended = {call for calls in needed.values() for call in calls}
    for call, tiles in drafts.items():
        awaited = {key for draft in tiles for key in draft.waits}
        for draft in tiles:
            # The last tiles are those that no tile of their own call waits for.
            is_last = call in ended and not any(key in awaited for key in draft.signals)
            # A tile that waits inside of its call stands behind one of the first, which waits for the other calls.
            if not draft.waits:
                draft.waits.extend((earlier, *_DONE) for earlier in needed[call])
            if is_last:
                draft.signals.append((call, *_DONE))


def _direct(spec: Spec, calls: Sequence[Call]) -> dict[Call, list[Call]]:
    """Return what each call waits for among *calls*, without what it waits for through another."""
    behind: dict[Call, set[Call]] = {}
    direct: dict[Call, list[Call]] = {}
    for call in _in_order(spec, calls):
        known = [earlier for earlier in dependencies(spec, call) if earlier in calls]
        implied = {further for earlier in known for further in behind[earlier]}
        direct[call] = [earlier for earlier in known if earlier not in implied]
        behind[call] = {*known, *implied}
    return direct


def _in_order(spec: Spec, calls: Sequence[Call]) -> list[Call]:
    """Return *calls* so that each stands behind all that it depends on: those of the streams, one after the other, may not be."""
    waiting, placed = list(calls), list[Call]()
    while waiting:
        ready = [call for call in waiting if not any(earlier in waiting for earlier in dependencies(spec, call))]
        if not ready:
            raise GpuError(f"calls that wait for each other: {', '.join(map(str, waiting))}")
        placed.extend(ready)
        waiting = [call for call in waiting if call not in ready]
    return placed


def _numbered(drafts: Sequence[_Draft]) -> tuple[list[Instruction], int]:
    """Number the counters that something waits for, and drop the arrivals at others."""
    targets: dict[CounterKey, int] = {}
    awaited = {key for draft in drafts for key in draft.waits}
    for draft in drafts:
        for key in draft.signals:
            if key in awaited:
                # The target is every arrival: a counter opens once, behind the last of its tiles.
                targets[key] = targets.get(key, 0) + 1
    numbers = {key: number for number, key in enumerate(targets)}
    made = [
        Instruction(
            draft.operation,
            draft.arguments,
            # A counter that is named twice is waited for once.
            tuple((numbers[key], targets[key]) for key in dict.fromkeys(draft.waits)),
            tuple(numbers[key] for key in draft.signals if key in numbers),
            draft.origin,
        )
        for draft in drafts
    ]
    return made, len(numbers)


def _ranges(streams: Streams, drafts: Mapping[Call, Sequence[_Draft]]) -> tuple[range, range, range]:
    # Instructions stand in the order of the streams, so that each stream is one range.
    ends = [0]
    for calls in (streams.common, streams.x, streams.y):
        ends.append(ends[-1] + sum(len(drafts[call]) for call in calls))
    return range(ends[0], ends[1]), range(ends[1], ends[2]), range(ends[2], ends[3])
