"""From stages to the operators of a contract: one for each stage, as many tiles as it has tasks, all as long as the table says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from ..scaffold.words.names import numbered
from .kinds import task_name
from .stages import StageRepeat, TaskStage

Block = Mapping[str, object]


def blocks_of(stages: Sequence[TaskStage], repeat: StageRepeat | None, times_ps: Mapping[int, int]) -> tuple[Block, ...]:
    """Return the blocks of a program with the tiles and waits of *stages*, each as long as *times_ps* has for its kind.

    Stages inside *repeat* are written once; where one waits for the repeat before, the first repeat waits for what stands in its place.
    """
    shown = [number for number in range(len(stages)) if repeat is None or not repeat.first + repeat.period <= number < repeat.end]
    names = dict(zip(shown, numbered([task_name(stages[number].kind) for number in shown]), strict=True))
    operators = {number: _operator(stages, repeat, number, names, times_ps) for number in shown}
    if repeat is None:
        return ({"operators": tuple(operators.values())},)
    again = range(repeat.first, repeat.first + repeat.period)
    parts = [(1, range(repeat.first)), (repeat.times, again), (1, range(repeat.end, len(stages)))]
    return tuple(_block(times, [operators[number] for number in part]) for times, part in parts if part)


def _block(times: int, operators: list[Mapping[str, object]]) -> Block:
    return {**({"repeat": times} if times > 1 else {}), "operators": tuple(operators)}


def _operator(
    stages: Sequence[TaskStage], repeat: StageRepeat | None, number: int, names: Mapping[int, str], times_ps: Mapping[int, int]
) -> Mapping[str, object]:
    stage = stages[number]
    after = tuple(_dependencies(stages, repeat, number, names))
    return {
        "name": names[number],
        "kind": "explicit",
        "tiles": stage.tasks,
        "compute_us": Decimal(times_ps[stage.kind]).scaleb(-6),
        **({"after": after} if after else {}),
    }


def _dependencies(
    stages: Sequence[TaskStage], repeat: StageRepeat | None, number: int, names: Mapping[int, str]
) -> Iterator[Mapping[str, object]]:
    for other in stages[number].after:
        yield {"operator": names[_as_written(repeat, other)]}
    if repeat is not None and repeat.first <= number < repeat.first + repeat.period:
        later = stages[number + repeat.period].after
        for other in later:
            if other < repeat.first + repeat.period:
                yield {"operator": names[other], "previous": True}


def _as_written(repeat: StageRepeat | None, number: int) -> int:
    """Return the stage that *number* is written as: one of a later repeat as that of the first."""
    if repeat is None or not repeat.first <= number < repeat.end:
        return number
    return repeat.first + (number - repeat.first) % repeat.period
