"""Two streams inside of a role: regions of one step, of admission or of one chunk that no path of edges joins run beside each other.

All follows the serial order otherwise: each step, and each repeat of a block in it, begins when the one before has ended on both streams.
In it a region runs on the first stream if what was put there last is ahead of it, by edges, and else on the second one. It waits for an
event of the latest region of the other stream that is ahead of it, and for what its own stream runs before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...events.graph import NodeKind
from ..composition import Composition
from ..occurrences import Run, Runs, publication_blocks
from .writer import FIRST_CHUNK, STEP_H, Writer


@dataclass(frozen=True, slots=True)
class ForkTurn:
    """One run on the *stream* 0 or 1, *behind* runs of the same occurrence by their places in it, or behind all before it."""

    run: Run
    stream: int
    behind: tuple[int, ...]


Occurrence = tuple[ForkTurn, ...]


def occurrences(composition: Composition, block: Runs, *, is_each: bool = True) -> Iterator[Occurrence]:
    """Yield what of *block*, once, runs between two instants at which both streams have ended; of a block in it all repeats, or one."""
    found: list[Run] = []
    for run in _flat(block.runs, is_each=is_each):
        if found and (run is None or _begins_anew(composition, found, run)):
            yield _placed(composition, found)
            found = []
        found += [] if run is None else [run]
    if found:
        yield _placed(composition, found)


def forks(composition: Composition, blocks: Sequence[Runs]) -> bool:
    """Whether anything in *blocks* runs on the second stream."""
    return any(True for _ in _forked(composition, blocks))


def groups_on_second(composition: Composition) -> frozenset[str]:
    """Return the groups that run on the second stream, up to the first publication."""
    turns = _forked(composition, publication_blocks(composition))
    return frozenset(work.group for turn in turns for section in turn.run.sections for work, _ in section.counted())


def _forked(composition: Composition, blocks: Sequence[Runs]) -> Iterator[ForkTurn]:
    every = (turn for block in blocks if block.repeat for one in occurrences(composition, block, is_each=False) for turn in one)
    yield from (turn for turn in every if turn.stream)


def lower_inside(writer: Writer) -> int:
    """Append all up to the first publication."""
    blocks, composition = publication_blocks(writer.composition), writer.composition
    alone = next((place for place, block in enumerate(blocks) if forks(composition, [block])), len(blocks))
    # What comes before the first fork has nothing beside it.
    writer.serial(blocks[:alone])
    made = _run(writer, blocks[alone:])
    if made is not None:
        writer.graph.labels |= {STEP_H: made, FIRST_CHUNK: writer.device[0]}
    return writer.publish(*writer.device)


def lower_inside_cycle(writer: Writer, begin: int, blocks: Sequence[Runs]) -> int:
    """Append the steps of a cycle and its chunk and return their last node; threads of the host that wait for nothing are far ahead."""
    writer.ahead_hosts = writer.composition.threads_ahead
    writer.device = (begin,)
    _run(writer, blocks)
    issued = (last for thread, last in writer.hosts.items() if thread in writer.ahead_hosts)
    return writer.add("issued and done", NodeKind.CONTROL, 0, (*writer.device, *(node for last in issued for node in last)))


def _run(writer: Writer, blocks: Sequence[Runs]) -> int | None:
    """Append *blocks*; return the node with which the steps end, where a chunk of its own follows them."""
    composition, made, is_chunk = writer.composition, next(iter(writer.device), None), False
    for block in blocks:
        # One pass says it for all: blocks end where steps do.
        each = list(occurrences(composition, block))
        for occurrence in each * block.repeat:
            append_occurrence(writer, occurrence)
            is_chunk = _role(composition, occurrence[0].run) == {"consumer"}
            made = made if is_chunk else writer.device[0]
    return made if is_chunk else None


def append_occurrence(writer: Writer, occurrence: Occurrence) -> None:
    """Append one occurrence behind whatever both streams ran before."""
    if not any(turn.stream for turn in occurrence):
        writer.each([Runs(tuple(turn.run for turn in occurrence))])
        return
    begin, ends, awaited = writer.device, list[tuple[int, ...]](), set[int]()
    with writer.on_stream(0):
        for turn in occurrence:
            writer.device = tuple(node for place in turn.behind for node in ends[place]) or begin
            writer.each([Runs((turn.run,))])
            ends.append(writer.device)
            awaited |= {*turn.behind}
    last = (node for place, nodes in enumerate(ends) if place not in awaited for node in nodes)
    writer.device = (writer.add("both streams have ended", NodeKind.CONTROL, 0, tuple(last)),)


def _flat(runs: Sequence[Run | Runs], *, is_each: bool) -> Iterator[Run | None]:
    """Yield *runs* in order; None around each repeat of a block, which ends on both streams before the next one begins."""
    for one in runs:
        if isinstance(one, Run):
            yield one
            continue
        for _ in range(one.repeat if is_each else 1):
            yield None
            yield from _flat(one.runs, is_each=is_each)
        yield None


def _begins_anew(composition: Composition, found: Sequence[Run], run: Run) -> bool:
    """Whether *run* is of another step or role than what was *found* before it; one that goes on from role to role stands by itself."""
    role = _role(composition, run)
    return any(one.region == run.region for one in found) or len(role) > 1 or role != _role(composition, found[-1])


def _role(composition: Composition, run: Run) -> set[str]:
    """Return the roles of what a run has."""
    roles = (("admission", composition.admission), ("producer", composition.producers), ("consumer", composition.consumers))
    has = {work.group for section in run.sections for work, _ in section.counted()}
    return {role for role, groups in roles if has & {*groups}}


def _placed(composition: Composition, runs: Sequence[Run]) -> Occurrence:
    turns: list[ForkTurn] = []
    streams: tuple[list[int], list[int]] = ([], [])
    for place, run in enumerate(runs):
        ahead = [[one for one in stream if composition.are_joined(runs[one].region, run.region)] for stream in streams]
        stream = int(bool(streams[0]) and streams[0][-1] not in ahead[0])
        behind = {*streams[stream][-1:], *ahead[1 - stream][-1:]}
        turns.append(ForkTurn(run, stream, tuple(sorted(behind))))
        streams[stream].append(place)
    return tuple(turns)
