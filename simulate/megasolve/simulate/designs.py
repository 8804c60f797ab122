"""Designs: candidates that lower to the same event graph are one design, whatever their names."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from .composition import Composition, RegionPlan, Sharing, Work
from .occurrences import Block, cycle_blocks, publication_blocks, separate_admission, serial_blocks
from .steady import Objective


def design_key(composition: Composition, objective: Objective) -> Hashable:
    """Return a value that two compositions share exactly when they lower to the same event graph, names aside."""
    if composition.sharing is Sharing.SERIAL:
        return ("serial", _nameless(_serial_order(composition, objective)))
    producer = composition.region_of(composition.producers[0])
    consumer = composition.region_of(composition.consumers[0])
    return (
        composition.sharing.value,
        _plan(producer),
        _plan(consumer),
        producer == consumer,
        composition.capacity,
        _admission(composition, objective),
        tuple(_work(work) for key, work in sorted(composition.works.items(), key=lambda item: (item[0][0], item[0][1].value)) if key),
    )


def _admission(composition: Composition, objective: Objective) -> Hashable:
    separate = separate_admission(composition)
    if objective is not Objective.FIRST_PUBLICATION or not separate:
        return ()
    return _nameless(serial_blocks(composition, admission=separate, steps=0, chunk=()))


def _serial_order(composition: Composition, objective: Objective) -> Sequence[Block]:
    return publication_blocks(composition) if objective is Objective.FIRST_PUBLICATION else cycle_blocks(composition)


def _nameless(blocks: Sequence[Block]) -> Hashable:
    return tuple(
        (
            block.repeat,
            tuple(
                (_plan(run.region), tuple((section.repeat, tuple(map(_work, section.works))) for section in run.sections))
                for run in block.runs
            ),
        )
        for block in blocks
        if block.repeat
    )


def _plan(region: RegionPlan) -> tuple[Any, ...]:
    return (region.persistent, region.loops, region.cooperative, region.dispatch)


def _work(work: Work) -> tuple[Any, ...]:
    return (work.calls, tuple((one.duration_ps, one.hbm_bytes, one.launches, one.gap_ps) for one in work.services))
