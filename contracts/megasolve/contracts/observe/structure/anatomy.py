"""The anatomy of a trace: its steps, by marks or by order alone, and the blocks of layers within a step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from ...model.wording import counted
from ...profiles.execution import Execution, Kernel
from ...profiles.wording import listed, microseconds, shortened
from ..observation import PlaceOrder, StepsBy
from ..occurrences.group_occurrences import StepsOf, with_usual_kernels
from ..occurrences.settled_steps import SettledSteps, settled_steps
from ..steps.repeating import best_repetition, is_most
from ..timelines.placing import is_called
from ..timelines.timeline import Timeline
from .blocks import LayerBlock, find_blocks

# Kernels of other streams break the layers of one up where so little of its share in them is left.
_NEARLY = Fraction(4, 5)

_UNSTEADY = "so do the calls of the host for them, as where two models run beside each other"
_UNKNOWN = "the file does not say when each was called for"


@dataclass(frozen=True, slots=True)
class Anatomy:
    """What a trace is made of.

    Attributes
    ----------
    steps_by
        How its steps are found.
    steps
        The number of its steps, steady or not.
    pattern
        The kernels of a steady step whose kernels stand in the commonest order, in order of start.
    blocks
        The layers in it, in order.
    before, after
        The launches before the first step and after the last one that belong to the request: none where steps are marked.
    notes
        What is to be said about how it was found.
    scattered
        What keeps layers from being told, where kernels of several streams do.
    """

    steps_by: StepsBy
    steps: int
    pattern: tuple[Kernel, ...]
    blocks: tuple[LayerBlock, ...]
    before: int = 0
    after: int = 0
    notes: tuple[str, ...] = ()
    scattered: str = ""


def anatomy(execution: Execution, ran: Timeline, asked: StepsBy) -> Anatomy:
    """Return the anatomy of what *ran*; raises ProfileRefused where the steps that were asked for are not found."""
    settled = settled_steps(execution, ran, asked)
    by_order = _by_order(ran, settled) if asked.is_usual else None
    if by_order is not None:
        settled = settled_steps(execution, ran, by_order)
    steps = settled.of
    pattern, blocks, order = _ordered(steps)
    outer = [steps.steps[0].launches[0], steps.steps[-1].launches[-1]]
    begun = 0 if by_order is None else outer[0]
    return Anatomy(
        steps_by=replace(settled.usual.by, order=order),
        steps=len(settled.found.steps),
        pattern=pattern,
        blocks=blocks,
        before=begun,
        after=0 if by_order is None else len(ran.kernels) - 1 - outer[1],
        notes=tuple(_notes(ran, outer, settled)) if by_order is not None else (),
        scattered=_scattered(pattern, blocks, is_known=_has_streams(steps)),
    )


def _ordered(steps: StepsOf) -> tuple[tuple[Kernel, ...], tuple[LayerBlock, ...], PlaceOrder]:
    """Return the pattern of a steady step and its layers, in order of start; in that of the launches where clearly more of it repeats so.

    A kernel of a second stream may start now before and now behind one of the first; the host called for them in one order. Where few do,
    order of start is better: groups that follow each other on the device run beside each other less.
    """
    orders: tuple[PlaceOrder, ...] = ("start", "launch") if _has_streams(steps) else ("start",)
    started, *launched = [(pattern, _blocks(pattern), order) for order in orders for pattern in (_pattern(replace(steps, order=order)),)]
    return next((one for one in launched if _is_clearly_more(one[1], started[1])), started)


def _has_streams(steps: StepsOf) -> bool:
    kept = steps.steps[steps.kept[0]].launches
    return len({steps.ran.kernels[launch].site for launch in kept}) > 1 and is_called(steps.ran, kept)


def _pattern(steps: StepsOf) -> tuple[Kernel, ...]:
    first, *_ = with_usual_kernels(steps)
    return tuple(steps.ran.kernels[launch] for launch in steps.placed(first))


def _is_clearly_more(blocks: Sequence[LayerBlock], others: Sequence[LayerBlock]) -> bool:
    """Whether a ninth more kernels stand in the layers of *blocks*, or as many in layers that are half as long or less."""
    (kernels, times), (fewer, longer) = ((sum(block.kernels for block in of), sum(block.times for block in of)) for of in (blocks, others))
    return 9 * kernels >= 10 * fewer + 9 or (kernels >= fewer and times >= 2 * longer)


def _scattered(pattern: Sequence[Kernel], blocks: Sequence[LayerBlock], *, is_known: bool) -> str:
    """Return what repeats on the busiest stream of *pattern* where kernels of others break its repeats up; else nothing."""
    sites = Counter(kernel.site for kernel in pattern)
    (main, _), *others = sites.most_common()
    if not others:
        return ""
    alone = [kernel for kernel in pattern if kernel.site == main]
    known = _blocks(alone)
    largest = max(known, key=lambda block: block.kernels, default=None)
    in_all, in_one = (Fraction(sum(block.kernels for block in of), len(every)) for of, every in ((blocks, pattern), (known, alone)))
    if largest is None or 2 * in_one < 1 or in_all >= _NEARLY * in_one:
        return ""
    layer = listed(map(_quoted, alone[largest.first : largest.first + largest.period]), at_most=4)
    beside = listed(dict.fromkeys(_quoted(kernel) for kernel in pattern if kernel.site != main), at_most=3)
    return (
        f"one stream has {largest.times:,} repeats of {counted(largest.period, 'kernel')} ({layer}), and {beside} of other streams "
        f"start at another place in each; {_UNSTEADY if is_known else _UNKNOWN}"
    )


def _quoted(kernel: Kernel) -> str:
    return f"'{shortened(kernel.shape.name, 30)}'"


def _by_order(ran: Timeline, settled: SettledSteps) -> StepsBy | None:
    """Return the steps that order alone tells, where one step was found that is none: a whole request of several steps.

    What repeats are steps, and not layers, where layers repeat in it; else only the marks could tell, as a layer may be a graph of its own.
    """
    if len(settled.found.steps) > 1:
        return None
    main, found, _ = best_repetition(ran)
    if found is None or not is_most(found, main):
        return None
    first, second = ([ran.kernels[main[start + place]] for place in range(found.period)] for start in found.starts[:2])
    if not _is_layered(first):
        return None
    is_replayed = _replay(first) is not None and _replay(first) != _replay(second)
    plain = replace(settled.usual.by, marks=None, is_usual=False)
    return replace(plain, replays=True) if is_replayed else replace(plain, period=found.period)


def _is_layered(unit: Sequence[Kernel]) -> bool:
    return 2 * sum(block.kernels for block in _blocks(unit)) >= len(unit)


def _replay(unit: Sequence[Kernel]) -> int | None:
    """Return the launch call of the one graph replay that most of *unit* is, None where there is none."""
    replays = Counter(kernel.correlation for kernel in unit if kernel.graph is not None)
    return next(iter(replays)) if len(replays) == 1 and 2 * sum(replays.values()) >= len(unit) else None


def _blocks(pattern: Sequence[Kernel]) -> tuple[LayerBlock, ...]:
    """Return the blocks by name and launch shape; by name alone where that explains clearly more, or in fewer blocks.

    Grids may follow a sequence, and the last layer may take less of it.
    """
    finer = find_blocks([_shape(kernel) for kernel in pattern])
    coarser = find_blocks([kernel.shape.name for kernel in pattern])
    covered, by_name = (sum(block.kernels for block in blocks) for blocks in (finer, coarser))
    return finer if 10 * covered >= 9 * by_name and len(finer) <= len(coarser) else coarser


def _shape(kernel: Kernel) -> Hashable:
    return kernel.shape.name, kernel.shape.grid, kernel.shape.block


def _notes(ran: Timeline, outer: Sequence[int], settled: SettledSteps) -> Iterator[str]:
    sides = [("before", range(outer[0])), ("after", range(outer[1] + 1, len(ran.kernels)))]
    for side, launches in sides:
        if launches:
            taken = microseconds(sum(ran.shares[launch].service_ps for launch in launches))
            yield f"{counted(len(launches), 'launch', 'launches')} ({taken}) {side} the steps"
    yield f"nothing but order parts the {counted(len(settled.found.steps), 'step')} of this trace from what is before and after them"
