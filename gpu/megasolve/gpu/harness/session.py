"""A session: what experiments on one model at one batch share on a device."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from megasolve.contracts import Study

from ..driver import Context, DriverLaunch, Event, Function, Memory, Module, Stream
from ..errors import GpuError
from ..programs.arenas import Arenas
from ..workloads.streamlet.model import Model, model_of
from .counts import Counts
from .places.probes import EMPTY, compile_probes
from .waiting import StopWords

_PROBE_THREADS = 256
# No L2 whose size a driver does not tell is larger.
_LARGEST_L2_BYTES = 128 << 20


@dataclass(frozen=True, slots=True)
class ArenaMemory:
    """The three arenas of a model on the device. Several may share their weights, which no kernel writes."""

    floats: Memory
    weights: Memory
    ids: Memory

    def upload(self, arenas: Arenas) -> None:
        """Fill floats and ids from the host; weights are uploaded once, by the session."""
        self.floats.upload(np.ascontiguousarray(arenas.floats, np.float32))
        self.ids.upload(arenas.ids)

    def download(self, like: Arenas) -> Arenas:
        """Return what the arenas hold now, laid out as *like*, whose weights they have."""
        floats, ids = self.floats.read(np.float32, len(like.floats)), self.ids.read(np.int32, len(like.ids))
        return Arenas(like.layout, floats, like.weights, ids)


class Session:
    """The arenas, streams, modules and stop words for one model at one *batch*; everything is made before anything spins.

    Several sets of arenas, with different inputs and the same weights, are there for launches to take in turn.

    Raises
    ------
    GpuError
        The spec is none that the kernels make, or the device has not enough memory for it.
    """

    def __init__(self, context: Context, study: Study, batch: int, counts: Counts) -> None:
        self.context = context
        self.study = study
        self.counts = counts
        self.model: Model = model_of(study.spec.value, batch)
        self._check_memory()
        self._open = ExitStack()
        self._modules: dict[bytes, Module] = {}
        # Programs that the verifier found sound, by their words: budgets that take the same tiles need no second proof.
        self.proved: set[bytes] = set()
        self.words = self.new_words()
        self.stream = self.new_stream()
        self.first, self.last = self.event(), self.event()
        self.flushed = self.memory(_flush_bytes(context)) if counts.cache == "cold" else None
        weights = self.memory(2 * self.model.layout.sizes["weights"])
        self.arenas = tuple(self._arena_memory(weights) for _ in range(counts.rotations))
        self.empty = self.function(compile_probes(_PROBE_THREADS, context.device.compute_capability).image, EMPTY)

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
        if image not in self._modules:
            self._modules[image] = self._open.enter_context(Module(self.context, image))
        return self._modules[image].function(symbol)

    def empty_launch(
        self, *, ctas: int = 1, threads: int = _PROBE_THREADS, shared_bytes: int = 0, cooperative: bool = False
    ) -> DriverLaunch:
        """Return a launch of the kernel that does nothing."""
        return DriverLaunch(self.empty, [None], grid_ctas=ctas, block_threads=threads, shared_bytes=shared_bytes, cooperative=cooperative)

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

    def __enter__(self) -> Session:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _arena_memory(self, weights: Memory) -> ArenaMemory:
        sizes = self.model.layout.sizes
        return ArenaMemory(self.memory(4 * sizes["floats"]), weights, self.memory(4 * sizes["ids"]))

    def _check_memory(self) -> None:
        sizes, free = self.model.layout.sizes, self.context.free_bytes()
        flush = _flush_bytes(self.context) if self.counts.cache == "cold" else 0
        needed = 2 * sizes["weights"] + 4 * self.counts.rotations * (sizes["floats"] + sizes["ids"]) + flush
        if needed > free:
            raise GpuError(
                f"the arenas of '{self.study.spec.value.name}' at batch {self.model.sizes.batch} take {needed:,} bytes of device memory,"
                f" and {free:,} are free: stop other processes (nvidia-smi lists them), or ask for a smaller --batch"
            )


def _flush_bytes(context: Context) -> int:
    """Return how much must be overwritten so that nothing is left in the caches."""
    return 2 * (context.device.l2_bytes or _LARGEST_L2_BYTES)
