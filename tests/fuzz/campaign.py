"""A campaign: inputs of many kinds, one after the other, until time or number is up; what was found, and what it cost."""

from __future__ import annotations

import gc
import multiprocessing
import os
import resource
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from tests.fuzz.faults import Fault, keep, shortened
from tests.fuzz.inputs import KINDS, Input, Kind, drawn_input
from tests.fuzz.judging import judge
from tests.fuzz.running import WALL_SECONDS, Broken
from tests.fuzz.twins import TwinProcess

MOST_OF_A_SORT = 3
TWIN_EVERY = 20
SWEPT_EVERY = 2000
IN_MEMORY = "/dev/shm"
DEAD_SECONDS = 3 * WALL_SECONDS


@dataclass
class Tally:
    """What became of the inputs so far; *sorts* counts faults by signature, *faults* has the first few of each."""

    inputs: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    sorts: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)
    cpu_seconds: float = 0.0

    def add(self, kind: str, *, accepted: bool) -> None:
        """Count one input."""
        self.inputs[kind] += 1
        self.accepted[kind] += accepted

    def join(self, other: Tally) -> None:
        """Add what *other* counted."""
        self.inputs += other.inputs
        self.accepted += other.accepted
        self.sorts += other.sorts
        self.faults += other.faults
        self.cpu_seconds += other.cpu_seconds


def turns(seed: int, kinds: Sequence[Kind], first: int = 0, stride: int = 1) -> Iterator[tuple[Kind, int]]:
    """Yield the kind and the index of one input after the other, each kind as often as its weight says; every *stride*-th from *first*."""
    random, counts = Random(f"{seed}:turns"), Counter[str]()
    position = 0
    while True:
        (kind,) = random.choices(kinds, [kind.weight for kind in kinds])
        if position % stride == first:
            yield kind, counts[kind.name]
        counts[kind.name] += 1
        position += 1


def run_inputs(
    inputs: Iterator[Input],
    tally: Tally,
    *,
    keep_in: Path | None,
    twin: TwinProcess | None = None,
    started: Callable[[Input], None] | None = None,
) -> None:
    """Judge *inputs* one after the other; faults are shortened, and kept in *keep_in*."""
    for number, one in enumerate(inputs):
        if started is not None:
            started(one)
        verdict = judge(one, twin.run if twin is not None and number % TWIN_EVERY == 0 else None)
        tally.add(one.kind, accepted=verdict.accepted)
        if verdict.fault is not None:
            note(one, verdict.fault, tally, keep_in)
        if number % SWEPT_EVERY == 0:
            sweep_cache()


def note(one: Input, broken: Broken, tally: Tally, keep_in: Path | None) -> None:
    """Count a fault; the first few of its sort are shortened and kept."""
    tally.sorts[broken.signature] += 1
    if tally.sorts[broken.signature] > MOST_OF_A_SORT:
        return
    fault = shortened(one, broken, lambda other: judge(other).fault)
    tally.faults.append(fault)
    if keep_in is not None:
        keep(fault, keep_in)


def sweep_cache() -> None:
    """Empty the folder in which derived times are kept."""
    shutil.rmtree(os.environ["MEGASOLVE_CACHE_DIR"], ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a campaign does: until *minutes* are over, or *most* inputs are judged by each of *jobs* processes."""

    seed: int
    kinds: tuple[str, ...]
    minutes: float
    most: int | None
    jobs: int
    keep_in: Path


def campaign(plan: Plan, report: Callable[[Tally, float], None]) -> Tally:
    """Run *plan*; *report* is told now and then how far it is."""
    workers = [Worker(plan, number) for number in range(plan.jobs)]
    started, told = time.monotonic(), time.monotonic()
    # An interrupt ends the campaign; what it found until then is told.
    with suppress(KeyboardInterrupt):
        while [worker for worker in workers if worker.is_busy()]:
            time.sleep(0.2)
            if time.monotonic() - told > 30:
                told = time.monotonic()
                report(_joined(workers), told - started)
    return _joined(workers)


def _joined(workers: Sequence[Worker]) -> Tally:
    joined = Tally()
    for worker in workers:
        joined.join(worker.tally)
    return joined


class Worker:
    """A process that judges its share of the inputs, and is started again behind an input that it does not survive."""

    def __init__(self, plan: Plan, number: int) -> None:
        self._plan = plan
        self._number = number
        self._done = 0
        self._is_done = False
        self._deadline = time.monotonic() + 60 * plan.minutes
        self._before, self._latest = Tally(), Tally()
        self._start()

    @property
    def tally(self) -> Tally:
        """What became of the inputs of this worker so far."""
        joined = Tally()
        joined.join(self._before)
        joined.join(self._latest)
        return joined

    def is_busy(self) -> bool:
        """Take what the process has to tell, and return whether it has more to do."""
        if self._is_done:
            return False
        with suppress(EOFError, OSError):
            while self._told.poll():
                self._heard = time.monotonic()
                message = self._told.recv()
                if isinstance(message, Tally):
                    self._latest = message
                elif isinstance(message, int):
                    self._position = message
                else:
                    self._is_done = True
                    return False
        if self._process.is_alive() and time.monotonic() - self._heard < DEAD_SECONDS:
            return True
        self._bury()
        return True

    def _start(self) -> None:
        self._told, telling = multiprocessing.Pipe(duplex=False)
        self._heard, self._position = time.monotonic(), self._done
        context = multiprocessing.get_context("spawn")
        self._process = context.Process(target=_work, args=(self._plan, self._number, self._done, self._deadline, telling), daemon=True)
        self._process.start()
        telling.close()

    def _bury(self) -> None:
        """Note the input that the process did not survive, and go on behind it."""
        self._process.kill()
        self._process.join()
        one = _input_at(self._plan, self._number, self._position)
        self._before.join(self._latest)
        self._latest = Tally()
        self._before.add(one.kind, accepted=False)
        broken = Broken("the process did not survive", f"exit code {self._process.exitcode}, or silent for {DEAD_SECONDS} s")
        self._before.sorts[broken.signature] += 1
        fault = Fault(one, one, broken.signature, str(broken))
        self._before.faults.append(fault)
        keep(fault, self._plan.keep_in)
        self._done = self._position + 1
        self._start()


def _inputs(plan: Plan, number: int, skipped: int) -> Iterator[tuple[int, Input]]:
    for position, (kind, index) in enumerate(turns(plan.seed, [KINDS[name] for name in plan.kinds], number, plan.jobs)):
        if plan.most is not None and position >= plan.most:
            return
        if position >= skipped:
            yield position, drawn_input(kind, plan.seed, index)


def _input_at(plan: Plan, number: int, position: int) -> Input:
    return next(_inputs(plan, number, position))[1]


def _hurry() -> None:
    """Keep the folders of inputs in memory where the system has a place for that, and look for garbage less often."""
    if "TMPDIR" not in os.environ and os.access(IN_MEMORY, os.W_OK):
        tempfile.tempdir = IN_MEMORY
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


def _work(plan: Plan, number: int, skipped: int, deadline: float, telling: Connection) -> None:
    # An interrupt from the terminal reaches every process; the first one decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _hurry()
    os.environ["MEGASOLVE_CACHE_DIR"] = cache = tempfile.mkdtemp(prefix="megasolve-fuzz-cache-")
    tally, twin, told = Tally(), TwinProcess(), time.monotonic()

    def timed_inputs() -> Iterator[Input]:
        nonlocal told
        for position, one in _inputs(plan, number, skipped):
            if time.monotonic() >= deadline:
                return
            telling.send(position)
            if time.monotonic() - told > 2:
                told = time.monotonic()
                tally.cpu_seconds = time.process_time()
                telling.send(tally)
            yield one

    # Where nobody listens any more the campaign is over.
    with suppress(BrokenPipeError):
        try:
            run_inputs(timed_inputs(), tally, keep_in=plan.keep_in, twin=twin)
        finally:
            twin.close()
            shutil.rmtree(cache, ignore_errors=True)
        tally.cpu_seconds = time.process_time() + resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        telling.send(tally)
        telling.send(None)
