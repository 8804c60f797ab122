"""What is derived, one value at a time, by whichever process: a time by the program of a call, or the calibration of one."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property

from megasolve.contracts import JsonObject
from megasolve.simulate.expand.setup import Mechanisms

from .cache import digest
from .calibration import TOLERANCE, calibrate
from .derived import Calibration, Derived, NotDerived
from .tile_times import Factors, TiledCall, derive

METHOD_VERSION = 4
"""Part of every digest in the cache: raised whenever expansion, scheduling or calibration may give another value than before."""


# Without slots, so that a digest is computed once.
@dataclass(frozen=True)
class TimeTask:
    """What *call* takes by its program."""

    call: TiledCall
    mechanisms: Mechanisms
    factors: Factors

    @cached_property
    def key(self) -> str:
        """The digest of everything that decides the time."""
        return _key(self.call, self.mechanisms, "service", {operator: str(factor) for operator, factor in self.factors.items()})


@dataclass(frozen=True)
class CalibrationTask:
    """With which factor *call* takes *record_ps*."""

    call: TiledCall
    mechanisms: Mechanisms
    record_ps: int

    @cached_property
    def key(self) -> str:
        """The digest of everything that decides the factor."""
        further: JsonObject = {"entry": self.call.contract.entry, "record_ps": self.record_ps, "tolerance": str(TOLERANCE)}
        return _key(self.call, self.mechanisms, "calibration", further)


def tiles_of(task: TimeTask | CalibrationTask) -> str:
    """Return the digest of what decides the tiles of *task*, which are expanded once where tasks with the same one follow each other."""
    return task.call.tiles


def time_of(task: TimeTask) -> Derived | NotDerived:
    """Return what the call of *task* takes, or why that cannot be said."""
    return derive(task.call, task.mechanisms, task.factors)


def calibration_of(task: CalibrationTask) -> Calibration:
    """Return the calibration of the call of *task*."""
    return calibrate(task.call, task.record_ps, task.mechanisms)


def _key(call: TiledCall, mechanisms: Mechanisms, what: str, further: JsonObject) -> str:
    run = {"tiles": call.tiles, "workers": call.workers}
    return digest({"method": METHOD_VERSION, "what": what, "call": run, "mechanisms": asdict(mechanisms), what: further})
