"""A session: what experiments at one batch share on a device."""

from __future__ import annotations

from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from megasolve.contracts import Study

from ..driver import Context, DriverLaunch, Event, Function, Memory, Module, Stream
from ..errors import GpuError
from .counts import Counts
from .places.probes import EMPTY, PROBE_THREADS, WIDE_EMPTY, probes, wide_probes
from .waiting import StopWords

# No L2 whose size a driver does not tell is larger.
_LARGEST_L2_BYTES = 128 << 20


class Session:
    """The streams, modules, memory and stop words for a study at one *batch*; everything is made before anything spins."""

    def __init__(self, context: Context, study: Study, batch: int, counts: Counts) -> None:
        self.context = context
        self.study = study
        self.batch = batch
        self.counts = counts
        self._open = ExitStack()
        self._modules: dict[bytes, Module] = {}
        self.words = self.new_words()
        self.stream = self.new_stream()
        self.first, self.last = self.event(), self.event()
        # All memory is taken before a kernel runs: an allocation would wait for one that spins.
        self.flushed = self.memory(_flush_bytes(context)) if counts.cache == "cold" else None
        self.empty = self.function(probes(PROBE_THREADS).compiled(context.device.compute_capability).image, EMPTY)

    def memory(self, nbytes: int) -> Memory:
        """Return device memory that lives as long as the session."""
        return self._open.enter_context(Memory(self.context, nbytes))

    def holding(self, array: NDArray[Any]) -> Memory:
        """Return device memory with *array*; for an empty one a word that nobody reads."""
        flat = np.ascontiguousarray(array).reshape(-1)
        return self._open.enter_context(Memory.holding(self.context, flat if len(flat) else np.zeros(1, np.int32)))

    def new_stream(self, *, priority: int = 0) -> Stream:
        """Return a further stream that lives as long as the session."""
        return self._open.enter_context(Stream(self.context, priority=priority))

    def new_words(self) -> StopWords:
        """Return further words to stop kernels with, which live as long as the session."""
        words = StopWords(self.context, self.counts.stop_s)
        self._open.callback(words.close)
        return words

    def event(self) -> Event:
        """Return an event that lives as long as the session."""
        return self._open.enter_context(Event(self.context))

    def function(self, image: bytes, symbol: str) -> Function:
        """Return the kernel *symbol* of a cubin, which is loaded once."""
        # The same cubin loaded twice would be two kernels, each with a first launch of its own.
        if image not in self._modules:
            self._modules[image] = self._open.enter_context(Module(self.context, image))
        return self._modules[image].function(symbol)

    def empty_launch(
        self, *, ctas: int = 1, threads: int = PROBE_THREADS, shared_bytes: int = 0, cooperative: bool = False
    ) -> DriverLaunch:
        """Return a launch of the kernel that does nothing."""
        empty = self.empty if threads <= PROBE_THREADS else self._wide_empty()
        return DriverLaunch(empty, [None], grid_ctas=ctas, block_threads=threads, shared_bytes=shared_bytes, cooperative=cooperative)

    def _wide_empty(self) -> Function:
        return self.function(wide_probes().compiled(self.context.device.compute_capability).image, WIDE_EMPTY)

    def finish(self, what: str) -> None:
        """Wait for all that is queued on the session's stream, and stop it if it takes too long.

        Raises
        ------
        Hang
            It did not end in time.
        """
        self.words.finish(self.stream, self.last, self.counts.wait_s, what)

    def close(self) -> None:
        """Give everything back to the driver, in the order opposite to its making; the context stays."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def require_memory(self, needed: int) -> None:
        """Refuse arrays of *needed* bytes that the device has no room for.

        Raises
        ------
        GpuError
            The message says how much is free.
        """
        free = self.context.free_bytes()
        if needed > free:
            raise GpuError(
                f"the arenas of '{self.study.spec.value.name}' at batch {self.batch} take {needed:,} bytes of device memory,"
                f" and {free:,} are free: stop other processes (nvidia-smi lists them), or ask for a smaller --batch"
            )


def _flush_bytes(context: Context) -> int:
    """Return how much must be overwritten so that nothing is left in the caches."""
    return 2 * (context.device.l2_bytes or _LARGEST_L2_BYTES)
