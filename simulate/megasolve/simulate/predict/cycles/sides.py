"""What each of two sides takes in a steady cycle: beside the other one, and alone on the whole device."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ...events.arithmetic import exact
from ...events.engine import simulate
from ...events.outcome import Deadlock
from ..composition import Composition
from ..lowering.writer import Detail, Writer
from ..maxplus import Parts
from ..occurrences import Runs, blocks_matrix, cycle_blocks, serial_blocks
from ..steady import split_cycle, twice_the_cycle


@dataclass(frozen=True, slots=True)
class CycleSides:
    """How long the *steps_ps* of a cycle and its *chunk_ps* take, in picoseconds."""

    steps_ps: int | Fraction
    chunk_ps: int | Fraction


def sides_beside(composition: Composition) -> CycleSides | Deadlock:
    """Return when each side of a composition on two streams or partitions is done, from the beginning of a cycle that both begin."""
    writer = Writer(composition, detail=Detail.COMPACT)
    made, taken = split_cycle(writer, composition.schedule.cycle_steps)
    outcome = simulate(writer.build(writer.publish(made, taken)))
    return outcome if isinstance(outcome, Deadlock) else CycleSides(exact(outcome.finish[made]), exact(outcome.finish[taken]))


def sides_alone(serial: Composition) -> CycleSides:
    """Return how long the steps of a cycle, and its chunk, take in serial order where nothing but them runs, again and again."""
    steps = serial_blocks(serial, admission=(), steps=serial.schedule.cycle_steps, chunk=())
    return CycleSides(_steady_ps(steps), _steady_ps(serial_blocks(serial, admission=(), steps=0, chunk=serial.consumers)))


def serial_cycle_ps(serial: Composition) -> int | Fraction:
    """Return how long a cycle takes in serial order: its steps and its chunk, one after the other."""
    return _steady_ps(cycle_blocks(serial))


def _steady_ps(blocks: tuple[Runs, ...]) -> int | Fraction:
    return Fraction(twice_the_cycle(blocks_matrix(blocks, Parts.of)).total_ps, 2)
