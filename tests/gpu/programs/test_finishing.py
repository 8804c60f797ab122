"""Replays: what ends, and what waits for ever, with some CTAs resident."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.gpu.programs.finishing import CtaPool, replay
from megasolve.gpu.programs.instructions import Instruction
from tests.support.kernels.bare_programs import bare


@dataclass
class Cta:
    """One CTA of the literal device below: the queues that it still serves, and the instruction that it holds."""

    queues: list[int]
    held: int | None = None


def literal(
    instructions: Sequence[Instruction], queues: Sequence[Sequence[int]], ctas: Sequence[int], *, resident: int, seed: int
) -> set[int]:
    """Run CTAs that serve queue 0 and then their own, a random one at a time, until none can move; return what ran."""
    order = random.Random(seed)
    waiting = [Cta([0, own]) for own in ctas]
    live, taken, arrived, ran = waiting[:resident], [0] * len(queues), [0] * 64, set[int]()
    del waiting[:resident]
    while movable := [cta for cta in live if cta.held is None or all(arrived[at] >= wanted for at, wanted in instructions[cta.held].waits)]:
        cta = order.choice(movable)
        if cta.held is not None:
            ran.add(cta.held)
            for counter in instructions[cta.held].signals:
                arrived[counter] += 1
            cta.held = None
        while cta.queues and taken[cta.queues[0]] == len(queues[cta.queues[0]]):
            cta.queues.pop(0)
        if cta.queues:
            cta.held = queues[cta.queues[0]][taken[cta.queues[0]]]
            taken[cta.queues[0]] += 1
        else:
            live.remove(cta)
            live.extend(waiting[:1])
            del waiting[:1]
    return ran


@st.composite
def grids(draw: st.DrawFn) -> tuple[list[Instruction], list[range], list[int], int]:
    """Random waits and arrivals in a common queue and up to three others, each with some CTAs."""
    lengths = [draw(st.integers(0, 3)), *draw(st.lists(st.integers(0, 4), min_size=1, max_size=3))]
    waits = st.lists(st.tuples(st.integers(0, 4), st.integers(1, 3)), max_size=2, unique_by=lambda wait: wait[0])
    signals = [draw(st.lists(st.integers(0, 4), max_size=2)) for _ in range(sum(lengths))]
    instructions = [bare(draw(waits), arrivals) for arrivals in signals]
    for index in range(lengths[0]):
        # A common instruction waits only for common ones before it.
        early = Counter(counter for arrivals in signals[:index] for counter in arrivals)
        instructions[index] = bare([wait for wait in early.items() if draw(st.booleans())], signals[index])
    starts = [sum(lengths[:number]) for number in range(len(lengths))]
    queues = [range(start, start + length) for start, length in zip(starts, lengths, strict=True)]
    ctas = [draw(st.integers(0, 3)) for _ in queues[1:]]
    return instructions, queues, ctas, draw(st.integers(1, 6))


@settings(max_examples=150, deadline=None)
@given(grids(), st.integers(0, 10**6))
def test_a_replay_runs_what_a_device_runs_whichever_cta_goes_first(
    grid: tuple[list[Instruction], list[range], list[int], int], seed: int
) -> None:
    instructions, queues, ctas, resident = grid
    own_queues = [number for number, count in enumerate(ctas, start=1) for _ in range(count)]
    ending = replay(instructions, queues[0], [CtaPool(*pool) for pool in zip(queues[1:], ctas, strict=True)], resident)
    assert set(ending.ran) == literal(instructions, queues, own_queues, resident=resident, seed=seed)
    assert len(ending.ran) == len(set(ending.ran))


def test_the_order_of_a_replay_respects_every_wait() -> None:
    instructions = [bare([(0, 2)], [1]), bare([], [0]), bare([(1, 1)], []), bare([], [0])]
    ending = replay(instructions, range(4), [CtaPool((), 4)], 4)
    assert ending.ran in ((1, 3, 0, 2), (3, 1, 0, 2))


def test_tickets_in_topological_order_finish_on_a_single_cta() -> None:
    chain = [bare([(index - 1, 1)] if index else [], [index]) for index in range(50)]
    assert len(replay(chain, range(50), [CtaPool((), 8)], 1).ran) == 50
    assert len(replay(chain, range(49, -1, -1), [CtaPool((), 8)], 8).ran) == 0


def test_one_that_waits_holds_its_place_and_is_named() -> None:
    instructions = [bare([(0, 1)], []), bare([], [0])]
    ending = replay(instructions, (), [CtaPool([0], 1), CtaPool([1], 1)], 1)
    assert (ending.ran, ending.held) == ((), (0,))
    assert replay(instructions, (), [CtaPool([0], 1), CtaPool([1], 1)], 1, descending=True).ran == (1, 0)
