"""What tests do with a driver: a child process calls these with what its parent asks."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from megasolve.gpu.driver import Argument, Context, DriverLaunch, Event, Function, Graph, HostWords, Memory, Module, Stream, ask
from megasolve.gpu.errors import GpuError
from tests.support.standin.probes import THREADS

COUNT = 1000
# More than half of an SM's, so that each block has an SM of its own.
WHOLE_SM_BYTES = 120 * 1024
_NEVER_NS = 2**60


def everything(request: dict[str, Any]) -> dict[str, Any]:
    """Use each kind of object once, and report what came of it."""
    numbers = np.arange(COUNT, dtype=np.float32)
    with Context() as context, Module(context, Path(request["cubin"]).read_bytes()) as module, Stream(context) as stream:
        given, taken = Memory.holding(context, numbers), Memory(context, numbers.nbytes)
        launch = DriverLaunch(module.function("probe_double"), [given, taken, COUNT], grid_ctas=8, block_threads=THREADS)
        first, last = Event(context), Event(context)
        untouched = bool(np.isnan(taken.read(np.float32, COUNT)).all())
        alone_us = _timed_us(stream, first, last, lambda: launch.on(stream))
        once = taken.read(np.float32, COUNT)
        taken.fill_words(0, stream)
        graph = Graph(stream, [launch] * 10)
        graph.upload(stream)
        graph_us = _timed_us(stream, first, last, lambda: graph.on(stream))
        again = taken.read(np.float32, COUNT)
        return {
            "untouched": untouched,
            "right": bool((once == 2 * numbers).all() and (again == 2 * numbers).all()),
            "alone_us": alone_us,
            "graph_us": graph_us,
            "registers": launch.function.registers,
            "resident_ctas": launch.resident_ctas,
            "free_bytes": context.free_bytes(),
            "fake": context.device.fake,
            "name": context.device.name,
        }


def _timed_us(stream: Stream, first: Event, last: Event, work: Callable[[], None]) -> float:
    stream.record(first)
    work()
    stream.record(last)
    assert last.wait(10.0)
    return last.us_since(first)


def order_of_streams(request: dict[str, Any]) -> dict[str, Any]:
    """Fill words on one stream, and let another wait for it before it doubles them."""
    with Context() as context, Module(context, Path(request["cubin"]).read_bytes()) as module:
        one, two = Stream(context), Stream(context, priority=-1)
        given, taken, filled = Memory(context, 4 * COUNT), Memory(context, 4 * COUNT), Event(context, timed=False)
        given.fill_words(int(np.float32(21).view(np.uint32)), one)
        one.record(filled)
        two.wait_for(filled)
        DriverLaunch(module.function("probe_double"), [given, taken, COUNT], grid_ctas=8, block_threads=THREADS).on(two)
        two.synchronize()
        return {"right": bool((taken.read(np.float32, COUNT) == 42).all()), "first is done": one.is_done()}


def attempts(request: dict[str, Any]) -> list[dict[str, Any]]:
    """Prepare launches of one kernel of each cubin, (CTAs, threads, shared bytes, cooperative), and say what becomes of each."""
    seen = []
    with Context() as context:
        for cubin in request["cubins"]:
            with Module(context, Path(cubin).read_bytes()) as module:
                function = module.function(request["kernel"])
                seen += [_attempt(function, *shape) for shape in request["shapes"]]
    return seen


def _attempt(function: Function, ctas: int, threads: int, shared_bytes: int, cooperative: bool) -> dict[str, Any]:
    try:
        launch = DriverLaunch(function, [None], grid_ctas=ctas, block_threads=threads, shared_bytes=shared_bytes, cooperative=cooperative)
    except GpuError as error:
        return {"error": type(error).__name__, "message": str(error)}
    return {"error": None, "ctas_per_sm": launch.ctas_per_sm, "resident_ctas": launch.resident_ctas}


def launches_of_one_kernel(request: dict[str, Any]) -> list[bool]:
    """Prepare launches of one kernel with more and then less shared memory, and return whether each gives its result."""
    numbers = np.arange(COUNT, dtype=np.float32)
    with Context() as context, Module(context, Path(request["cubin"]).read_bytes()) as module, Stream(context) as stream:
        given, taken = Memory.holding(context, numbers), [Memory(context, numbers.nbytes) for _ in range(2)]
        for launch in [
            DriverLaunch(
                module.function("probe_double"), [given, into, COUNT], grid_ctas=8, block_threads=THREADS, shared_bytes=shared_bytes
            )
            for into, shared_bytes in zip(taken, (WHOLE_SM_BYTES, WHOLE_SM_BYTES // 2), strict=True)
        ]:
            launch.on(stream)
        stream.synchronize()
        return [bool((into.read(np.float32, COUNT) == 2 * numbers).all()) for into in taken]


def _uncounted_cooperative_grid(module: Module, memory: Memory) -> DriverLaunch:
    """Return a launch of one block too many, as a program makes that does not count first."""
    launch = DriverLaunch(module.function("probe_turn"), [memory], grid_ctas=1, block_threads=THREADS, cooperative=True)
    launch.grid_ctas = launch.resident_ctas + 1
    return launch


def refusals(request: dict[str, Any]) -> dict[str, str]:
    """Ask for one thing after the other that cannot be, and return what is said to each."""
    image = Path(request["cubin"]).read_bytes()
    with Context() as context, Module(context, image) as module, Stream(context) as stream, Memory(context, 64) as memory:
        closed, gone = Memory(context, 64), Module(context, image)
        function, uncounted = gone.function("probe_double"), _uncounted_cooperative_grid(module, memory)
        closed.close()
        closed.close()
        gone.close()
        asked: dict[str, Callable[[], object]] = {
            "closed memory": lambda: closed.upload(np.zeros(1)),
            "closed module": lambda: function.ctas_per_sm(THREADS),
            "too long": lambda: memory.upload(np.zeros(17, np.float32)),
            "gaps": lambda: memory.upload(np.zeros(8, np.float32)[::2]),
            "beyond": lambda: memory.fill_words(0, stream, first=10, count=7),
            "no entry point": lambda: ask("cuProfilerStart"),
            "too large": lambda: uncounted.on(stream),
            "too large in a graph": lambda: Graph(stream, [uncounted]),
            "after that": lambda: Graph(stream, []),
            "other architecture": lambda: Module(context, Path(request["other"]).read_bytes()),
            "no cubin": lambda: Module(context, b"no cubin at all" * 10),
            "no kernel": lambda: module.function("absent"),
            "too much": lambda: Memory(context, 10**9),
        }
        return {name: _said(action) for name, action in asked.items()}


def _said(action: Callable[[], object]) -> str:
    try:
        action()
    except (GpuError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


def waiting_in_vain(request: dict[str, Any]) -> None:
    """Wait, without any deadline, for blocks that wait for a block that was never launched."""
    with Context() as context, Module(context, Path(request["cubin"]).read_bytes()) as module, Stream(context) as stream:
        counter, words = Memory.holding(context, np.zeros(1, np.uint32)), HostWords(context, 2)
        arguments: list[Argument] = [counter, 1, 4, words.at(0), words.at(1), ctypes.c_uint64(_NEVER_NS)]
        DriverLaunch(module.function("probe_meet"), arguments, grid_ctas=3, block_threads=THREADS, cooperative=True).on(stream)
        stream.synchronize()


def ended_context(_request: object) -> list[str]:
    """Let a kernel fail, and return what the calls after it say."""
    with Context() as context, Stream(context) as stream:
        memory = Memory(context, 64)
        return [_said(stream.synchronize), _said(context.free_bytes), _said(lambda: memory.upload(np.zeros(1)))]


def meetings(request: dict[str, Any]) -> list[dict[str, Any]]:
    """Run pairs of kernels that fill an SM with each block and wait for each other; stop them if they do not meet."""
    with Context() as context, Module(context, Path(request["cubin"]).read_bytes()) as module:
        return [_meeting(context, module.function("probe_meet"), **pair) for pair in request["pairs"]]


def _meeting(
    context: Context, meet: Function, *, blocks: tuple[int, int], wanted: int, patience_s: float, timeout_ns: int = _NEVER_NS
) -> dict[str, Any]:
    counter, words, ends = Memory.holding(context, np.zeros(1, np.uint32)), HostWords(context, 3), []
    for side, ctas in enumerate(blocks):
        stream, end = Stream(context), Event(context)
        arguments: list[Argument] = [counter, 1, wanted, words.at(0), words.at(1 + side), ctypes.c_uint64(timeout_ns)]
        DriverLaunch(meet, arguments, grid_ctas=ctas, block_threads=THREADS, shared_bytes=WHOLE_SM_BYTES, cooperative=True).on(stream)
        stream.record(end)
        ends.append(end)
    met = all(end.wait(patience_s) for end in ends)
    words.words[0] = 1
    return {"met": met, "ended": all(end.wait(10.0) for end in ends), "diagnosis": words.words[1:].tolist()}


def live_objects(request: dict[str, Any]) -> list[int]:
    """Count what the driver holds after a `with` block, after a failure in one, and after the last reference went.

    A context that stays keeps the driver from destroying everything by itself.
    """
    outer = Context()
    count = ctypes.CDLL("libcuda.so.1").ms_stand_in_live_objects
    counts = []
    everything(request)
    counts.append(count())
    try:
        with Context() as context:
            _leaving_a_failure(context, request)
    except GpuError:
        counts.append(count())
    _drop_everything(request)
    gc.collect()
    counts.append(count())
    outer.close()
    return counts


def _leaving_a_failure(context: Context, request: dict[str, Any]) -> None:
    with Module(context, Path(request["cubin"]).read_bytes()) as module, Memory(context, 64), Event(context):
        module.function("absent")


def _drop_everything(request: dict[str, Any]) -> None:
    context = Context()
    module, stream = Module(context, Path(request["cubin"]).read_bytes()), Stream(context)
    memory, words = Memory(context, 4 * COUNT), HostWords(context, 4)
    launch = DriverLaunch(module.function("probe_double"), [memory, memory, COUNT], grid_ctas=1, block_threads=THREADS)
    graph = Graph(stream, [launch])
    del module, memory, context
    graph.on(stream)
    stream.synchronize()
    words.words[0] = 1
