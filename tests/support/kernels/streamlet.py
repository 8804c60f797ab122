"""Streamlet in tests: the shipped spec at small sizes, its programs, and its kernels on the CPU."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from megasolve.contracts import Contract, Spec, Study, load_spec
from megasolve.gpu.programs.arenas import Arenas
from megasolve.gpu.programs.executions import tile_programs
from megasolve.gpu.programs.group_calls import Call, Streams, serial_calls
from megasolve.gpu.programs.instructions import InstructionProgram, encoded
from megasolve.gpu.programs.operations import OPERATIONS, entry_shared_bytes, shared_bytes
from megasolve.gpu.workloads.streamlet.conventional import KernelLaunch
from megasolve.gpu.workloads.streamlet.model import Model, model_of
from megasolve.gpu.workloads.streamlet.persistent import compile_program
from tests.support.kernels.host_build import conventional_kernels, persistent_kernel
from tests.support.standin.cpu_device import Argument, CpuDevice, CpuOutcome

SPEC = Path(__file__).parents[3] / "specs" / "streamlet.yaml"
SMALL = {
    "layers": 2,
    "dim": 32,
    "heads": 4,
    "kv_heads": 2,
    "head_dim": 8,
    "ffn": 40,
    "vocab": 48,
    "state_heads": 4,
    "state_head_dim": 8,
    "states": 8,
    "channels": 16,
    "upsample_1": 4,
    "upsample_2": 3,
    "prompt": 5,
    "steps": 6,
}
"""Sizes at which a run on the CPU takes a fraction of a second: no tile is whole, and no two sizes are mistaken for each other."""

_TIMEOUT_NS = 10**10


@functools.cache
def shipped() -> Study:
    """The spec as it is shipped."""
    return load_spec(SPEC)


@functools.cache
def small() -> Study:
    """The shipped spec and contracts at small sizes."""
    return small_with()


def small_with(**sizes: int) -> Study:
    """Return the shipped spec and contracts at small sizes, some of them others."""
    study = shipped()
    spec = study.spec.value.model_copy(update={"symbols": {**SMALL, **sizes}})
    return replace(study, spec=replace(study.spec, value=spec))


def entry_of(study: Study, name: str) -> Contract:
    """Return the contract of an entry."""
    return next(document.value for document in study.contracts if document.value.entry == name)


def compiled(study: Study, entry: str, batch: int, streams: Streams | Sequence[Call]) -> tuple[Model, InstructionProgram]:
    """Return the model at *batch* and the program of *streams* in *entry*."""
    spec = study.spec.value
    model = model_of(spec, batch)
    asked = streams if isinstance(streams, Streams) else Streams(tuple(streams))
    return model, compile_program(model, spec, tile_programs(study, entry_of(study, entry), batch), asked)


def split_streams(spec: Spec) -> Streams:
    """Return the calls up to the first publication as a fixed split runs them: admission on all CTAs, producers on X, consumers on Y."""
    calls, roles = serial_calls(spec), {group.name: group.role for group in spec.groups}
    common, x, y = (tuple(call for call in calls if roles[call.group] == role) for role in ("admission", "producer", "consumer"))
    return Streams(common, x, y)


def with_instruction(program: InstructionProgram, index: int, **changes: Any) -> InstructionProgram:
    """Return *program* with the fields *changes* of one of its instructions."""
    instructions = [program.instruction(number) for number in range(len(program))]
    instructions[index] = replace(instructions[index], **changes)
    return encoded(instructions, program.counters, program.origins, (program.common, program.x, program.y))


def shared_words(program: InstructionProgram) -> npt.NDArray[np.uint32]:
    """Return the counters of *program*, at zero; launches side by side may share them."""
    return np.zeros(max(program.counters, 1), np.uint32)


def run_on_cpu(
    arenas: Arenas,
    program: InstructionProgram,
    *,
    ctas: int,
    threads: int = 256,
    x_ctas: int = 0,
    slots: int | None = None,
    seed: int = 0,
    cooperative: bool = True,
    reverse: bool = False,
) -> tuple[CpuOutcome, list[int]]:
    """Run *program* on *arenas*, in place, as one launch of *ctas* blocks; return the outcome and the counters."""
    counters = shared_words(program)
    device = persistent_kernel(threads)
    arguments = _arguments(arenas, program, counters, program.streams(x_ctas))
    shape = {"grid": ctas, "block": threads, "shared_bytes": entry_shared_bytes(OPERATIONS, threads)}
    device.launch("ms_entry", arguments, **shape, cooperative=cooperative, reverse=reverse)
    return device.run(slots or ctas, seed=seed), counters.tolist()


def diagnosis_on_cpu(
    arenas: Arenas, program: InstructionProgram, *, ctas: int, seed: int, timeout_ns: int = 10**6, stop: int = 0
) -> list[int]:
    """Run *program* as one launch that gives up, and return the words in which it says why."""
    device = persistent_kernel(256)
    arguments = _arguments(arenas, program, shared_words(program), program.streams(0))
    told, diagnosis = np.array([stop], np.uint32), np.zeros(8, np.uint32)
    arguments[-4:] = [told, diagnosis, None, ctypes.c_uint64(timeout_ns)]
    device.launch("ms_entry", arguments, grid=ctas, block=256, shared_bytes=entry_shared_bytes(OPERATIONS, 256), cooperative=True)
    device.run(ctas, seed=seed, clock_jumps=10_000)
    return [int(word) for word in diagnosis]


def launch_pool_on_cpu(
    arenas: Arenas, program: InstructionProgram, counters: npt.NDArray[np.uint32], pool: range, *, ctas: int, stream: int
) -> CpuDevice:
    """Queue a launch of its own for one stream of *program* and return the device that it waits on."""
    device = persistent_kernel(256)
    arguments = _arguments(arenas, program, counters, program.streams_of_pool(pool, ctas))
    device.launch("ms_entry", arguments, grid=ctas, block=256, shared_bytes=entry_shared_bytes(OPERATIONS, 256), stream=stream)
    return device


def _arguments(
    arenas: Arenas, program: InstructionProgram, counters: npt.NDArray[np.uint32], streams: npt.NDArray[np.int32]
) -> list[Argument]:
    lists = [np.ascontiguousarray(words) for words in (program.words, program.waits, program.signals, streams)]
    tickets, stop, diagnosis = (np.zeros(size, np.uint32) for size in (3, 1, 8))
    places = [counters, tickets, arenas.floats, arenas.weights, arenas.ids, stop, diagnosis]
    return [*lists, *places, None, ctypes.c_uint64(_TIMEOUT_NS)]


def run_launches_on_cpu(
    arenas: Arenas, launches: Iterable[KernelLaunch], *, threads: int = 256, slots: int = 3, seed: int = 0
) -> CpuOutcome:
    """Run conventional *launches* on *arenas*, in place and one after the other."""
    device = conventional_kernels(threads)
    for launch in launches:
        needed = shared_bytes(launch.operation.name, threads)
        arguments = [arenas.floats, arenas.weights, arenas.ids, np.ascontiguousarray(launch.table)]
        device.launch(f"k_{launch.operation.name}", arguments, grid=launch.grid_ctas, block=threads, shared_bytes=needed)
    return device.run(slots, seed=seed)
