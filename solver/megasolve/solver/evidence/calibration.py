"""Calibration: the factor on tile compute times with which a simulated standalone run reproduces its record (paper, section IV-B)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction

from megasolve.contracts import PS_PER_US, JsonObject, MegasolveError
from megasolve.contracts.model.programs.operators import OpaqueOperator
from megasolve.simulate.expand.setup import Mechanisms
from megasolve.simulate.tiles.outcome import TileDeadlock
from megasolve.simulate.tiles.program import TileProgram, scaled
from megasolve.simulate.tiles.scheduler import schedule_tiles

from .derived import Calibration
from .facts import exactly, factor, text, texts, whole
from .tile_times import TiledCall, machine_of, program_of

TOLERANCE = Fraction(1, 100)
PLAUSIBLE = (Fraction(1, 5), Fraction(5))
LARGEST_FACTOR = 1 << 20
MOST_STEPS = 40
FINER = 20


def calibrate(call: TiledCall, record_ps: int, mechanisms: Mechanisms, tolerance: Fraction = TOLERANCE) -> Calibration:
    """Return the calibration of *call*, whose record states *record_ps*, to within the relative *tolerance*."""
    entry = call.contract.entry
    operators = tuple(
        one.name for block in call.contract.programs[call.group] for one in block.operators if not isinstance(one, OpaqueOperator)
    )
    try:
        program = program_of(call, mechanisms, {})
    except MegasolveError as error:
        return Calibration(entry, operators, Fraction(1), 0, record_ps, f"cannot be calibrated: {error}")
    machine = machine_of(call, mechanisms)

    def time_ps(factor: Fraction) -> int:
        schedule = schedule_tiles(_at(program, operators, factor), machine)
        if isinstance(schedule, TileDeadlock):
            raise NoSchedule(str(schedule))
        return schedule.makespan_ps

    try:
        factor, simulated_ps, finding = fitted(time_ps, record_ps, tolerance)
    except NoSchedule as stop:
        return Calibration(entry, operators, Fraction(1), 0, record_ps, f"cannot be calibrated: {stop}")
    return Calibration(entry, operators, factor, simulated_ps, record_ps, finding)


class NoSchedule(MegasolveError):
    """A program that deadlocks has no time to calibrate."""


def _at(program: TileProgram, operators: tuple[str, ...], factor: Fraction) -> TileProgram:
    return scaled(program, dict.fromkeys(operators, factor))


def fitted(time_ps: Callable[[Fraction], int], record_ps: int, tolerance: Fraction) -> tuple[Fraction, int, str | None]:
    """Return the factor at which *time_ps* comes to *record_ps* within *tolerance*, the time there, and what is to be said of it.

    The factor is 1 where it suffices, where compute does not show in the time (memory-bound), and where none is found.
    """
    plain, memory_ps = time_ps(Fraction(1)), time_ps(Fraction(0))
    if _is_near(plain, record_ps, tolerance):
        return Fraction(1), plain, None
    against = f"simulated {_us(plain)}, recorded {_us(record_ps)}"
    if _is_near(memory_ps, plain, tolerance):
        return Fraction(1), plain, f"memory-bound, so no factor on compute explains the difference: {against}"
    if memory_ps > record_ps * (1 + tolerance):
        return Fraction(1), plain, f"the transfers alone take {_us(memory_ps)}, longer than the record: {against}"
    found = _bisected(time_ps, record_ps, tolerance)
    if found is None:
        return Fraction(1), plain, f"no factor comes within {float(tolerance):.1%} of the record: {against}"
    factor, time = found
    if not PLAUSIBLE[0] <= factor <= PLAUSIBLE[1]:
        least, most = map(float, PLAUSIBLE)
        return factor, time, f"implausible: a factor of {float(factor):.3g} is outside of {least} to {most}; {against}"
    return factor, time, None


def _bisected(time_ps: Callable[[Fraction], int], record_ps: int, tolerance: Fraction) -> tuple[Fraction, int] | None:
    """Return the nearest factor that is found, if it is near enough.

    The search goes on well below the tolerance: what is left of it would be a bias of every time that the factor is used for.
    """
    low, high = Fraction(0), Fraction(1)
    while (time := time_ps(high)) < record_ps and high < LARGEST_FACTOR:
        low, high = high, 2 * high
    best = (high, time)
    for _ in range(MOST_STEPS):
        if _is_near(best[1], record_ps, tolerance / FINER):
            break
        factor = (low + high) / 2
        time = time_ps(factor)
        best = min(best, (factor, time), key=lambda pair: abs(pair[1] - record_ps))
        low, high = (factor, high) if time < record_ps else (low, factor)
    return best if _is_near(best[1], record_ps, tolerance) else None


def _is_near(time_ps: int, target_ps: int, tolerance: Fraction) -> bool:
    return abs(time_ps - target_ps) <= tolerance * target_ps


def _us(time_ps: int) -> str:
    return f"{time_ps / PS_PER_US:,.3f} us"


def calibration_facts(calibration: Calibration) -> JsonObject:
    """Return *calibration* as plain values, for the cache."""
    return {
        "entry": calibration.entry,
        "operators": list(calibration.operators),
        "factor": str(calibration.factor),
        "simulated_ps": calibration.simulated_ps,
        "record_ps": calibration.record_ps,
        "finding": calibration.finding,
    }


def calibration_from(facts: JsonObject) -> Calibration:
    """Return what `calibration_facts` wrote.

    Raises
    ------
    ValueError
        These are no such facts.
    """
    exactly(facts, [one.name for one in fields(Calibration)])
    finding = facts["finding"]
    return Calibration(
        entry=text(facts["entry"]),
        operators=texts(facts["operators"]),
        factor=factor(facts["factor"]),
        simulated_ps=whole(facts["simulated_ps"]),
        record_ps=whole(facts["record_ps"], 1),
        finding=None if finding is None else text(finding),
    )
