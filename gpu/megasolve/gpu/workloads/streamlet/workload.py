"""Streamlet as a workload: its arenas are the arrays, and a persistent entry runs the program of one call."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from megasolve.contracts import Contract, Study
from megasolve.simulate.tiles.program import TileProgram

from ...compile.build import build_of, symbols_of
from ...compile.code import KernelCode
from ...compile.kernels_source import kernel_sources
from ...programs.arenas import Arenas
from ...programs.diagnosis import diagnosed
from ...programs.executions import tile_programs
from ...programs.group_calls import Call, Streams
from ...programs.instructions import InstructionProgram
from ...programs.operands import entry_operations
from ...programs.operations import entry_shared_bytes, shared_bytes
from ...programs.verify import ProgramGrid, faults
from ..calls import Arrays, AskedCall, Constant, LaunchSet, LaunchSide, StatedCall, StatedLaunch, UnclearInputs
from ..comparing import ArrayComparison
from ..workload import Workload
from .conventional import KernelLaunch, launches_of
from .inputs import drawn_inputs, poisoned, timed_call
from .launching import ARENAS, TRACE_WORDS, persistent_launches
from .model import Model, model_of
from .persistent import compile_program, require_room
from .reference import margin, reference
from .stuck import stuck_call
from .trials import LEAST_MARGIN, differences, largest_distance
from .verify_launches import launch_faults

# Of the words of an instruction in a trace, when it was taken and when it was done.
_TAKEN, _DONE = 0, 2


@dataclass(frozen=True, slots=True)
class ProgramCall(StatedCall):
    """Calls as the one program that persistent launches run, proved before anything is launched.

    *ctas* are those of each launch. Of two, the first runs X and the second Y; *proved* are the hashes of programs that need no further
    proof.
    """

    program: InstructionProgram = field(kw_only=True)
    model: Model = field(kw_only=True)
    operations: frozenset[str] = field(kw_only=True)
    ctas: tuple[int, ...] = field(kw_only=True)
    cooperative: bool = field(kw_only=True)
    proved: set[bytes] = field(kw_only=True)
    x_ctas: int = field(default=0, kw_only=True)

    def faults(self, resident_ctas: int) -> Sequence[str]:
        """Return what the verifier finds. Budgets that take the same tiles need no second proof."""
        program = self.program
        pools = np.array([len(self.ctas), self.x_ctas], np.int32)
        words = hashlib.sha256(b"".join(part.tobytes() for part in (program.words, program.waits, program.signals, pools))).digest()
        if words in self.proved:
            return ()
        found = faults(program, self.model.layout, self._grid(resident_ctas), self.operations)
        if not found:
            self.proved.add(words)
        return tuple(map(str, found))

    def complaint(self, diagnosis: Sequence[int]) -> str | None:
        """Return at which tile the kernel gave up."""
        return diagnosed(diagnosis).text(self.program) if diagnosis[0] else None

    def span_ns(self, trace: NDArray[Any], launch: int) -> tuple[int, int]:
        """Return when the first tile of a launch was taken and the last one was done."""
        rows, program = trace.reshape(-1, TRACE_WORDS), self.program
        own = range(len(program)) if len(self.ctas) == 1 else (program.x, program.y)[launch]
        times = rows[own.start : own.stop]
        return int(times[:, _TAKEN].min()), int(times[:, _DONE].max())

    def miscounted(self, scratch: Arrays) -> str | None:
        """Return the first counter that is not exact."""
        program, found = self.program, scratch["counters"]
        wanted = np.bincount(program.signals, minlength=program.counters)[: program.counters]
        wrong = np.flatnonzero(found != wanted)
        if not len(wrong):
            return None
        counter = int(wrong[0])
        return (
            f"{len(wrong)} of {program.counters} counters are wrong: counter {counter} is {found[counter]},"
            f" and its program signals it {wanted[counter]} times"
        )

    def _grid(self, resident_ctas: int) -> ProgramGrid:
        """Return the grid of one launch; of two beside each other the one that they make up, as both are resident as a whole."""
        if len(self.ctas) == 1:
            return ProgramGrid(*self.ctas, resident_ctas, self.x_ctas, cooperative=self.cooperative)
        return ProgramGrid(sum(self.ctas), sum(self.ctas), self.ctas[0], cooperative=self.cooperative)


@dataclass(frozen=True, slots=True)
class KernelCalls(StatedCall):
    """A call as conventional launches, whose tiles must not race."""

    planned: tuple[KernelLaunch, ...] = field(kw_only=True)
    model: Model = field(kw_only=True)

    def faults(self, resident_ctas: int) -> Sequence[str]:  # noqa: ARG002 - none of these waits for another
        """Return what the verifier finds."""
        return tuple(map(str, launch_faults(self.planned, self.model.layout)))


class Streamlet(Workload):
    """The kernels of the interpreter, for specs of streamlet's groups and sizes."""

    runs_programs = True
    contracts_writer = "python -m megasolve.gpu.workloads.streamlet"

    def __init__(self) -> None:
        self._proved: set[bytes] = set()

    def require(self, study: Study, batch: int) -> None:
        """Refuse a spec that is not of streamlet's groups, or whose sizes make no model."""
        model_of(study.spec.value, batch)

    def kernels(self, contract: Contract) -> KernelCode:
        """Return the interpreter with the operators of the contract's programs, or the kernels of one operator."""
        threads, operations = contract.launch.threads or 0, entry_operations(contract)
        build, symbols = build_of(contract), symbols_of(contract)
        if contract.backend == "conventional":
            needed = max(shared_bytes(operation, threads) for operation in operations)
        else:
            needed = entry_shared_bytes(operations, threads)
        return KernelCode(build, kernel_sources(), symbols, needed, is_portable=True)

    def weights(self, study: Study, batch: int, seed: int) -> Arrays:
        """Return the arena of the weights."""
        return {"weights": poisoned(model_of(study.spec.value, batch), seed).weights}

    def inputs(self, call: AskedCall, seed: int) -> Arrays:
        """Return the other two arenas, with values only in what the call reads."""
        model = _model(call)
        arenas = drawn_inputs(model, timed_call(model, call.group), seed)
        return {"floats": arenas.floats, "ids": arenas.ids}

    def start(self, study: Study, batch: int, seed: int) -> Arrays:
        """Return the other two arenas before a run: prompts, states of zero, and NaN in all that calls write."""
        arenas = poisoned(model_of(study.spec.value, batch), seed)
        return {"floats": arenas.floats, "ids": arenas.ids}

    def reference(self, call: AskedCall, arrays: Arrays) -> Arrays:
        """Return both arenas after the call in float64.

        Raises
        ------
        UnclearInputs
            The two best tokens of a sequence are too close to call.
        """
        model, asked = _model(call), _call(call)
        expected = reference(model, _arenas(model, arrays), [asked])
        if margin(expected, asked) < LEAST_MARGIN:
            raise UnclearInputs(f"two best tokens closer than {LEAST_MARGIN} of their spread")
        return {"floats": expected.floats, "ids": expected.ids}

    def launches(self, call: AskedCall, contracts: Sequence[Contract], ctas: int) -> StatedCall:
        """Return the launch of a program, or those of conventional kernels."""
        model, asked = _model(call), _call(call)
        if contracts[0].backend == "megakernel":
            side = LaunchSide(contracts[0], ctas, (asked,))
            return self.composed(LaunchSet(call.study, call.batch, Streams((asked,)), (side,)))
        planned = launches_of(call.study, model, asked, contracts)
        launches = (StatedLaunch(f"k_{one.operation.name}", one.grid_ctas, (*ARENAS, Constant(one.table)), one.entry) for one in planned)
        return KernelCalls(tuple(launches), str(asked), planned=planned, model=model)

    def composed(self, asked: LaunchSet) -> StatedCall:
        """Return the launches of one program that has the tiles of all calls."""
        model, tiles = model_of(asked.study.spec.value, asked.batch), dict[str, TileProgram]()
        for side in asked.sides:
            found = tile_programs(asked.study, side.contract, asked.batch, side.ctas)
            tiles |= {call.group: found[call.group] for call in side.calls}
        program = compile_program(model, asked.study.spec.value, tiles, asked.streams)
        return ProgramCall(
            tuple(persistent_launches(program, asked)),
            str(asked.streams.calls[0]) if len(asked.streams.calls) == 1 else "",
            program=program,
            model=model,
            operations=frozenset().union(*(entry_operations(side.contract) for side in asked.sides)),
            ctas=tuple(side.contract.grid_ctas or side.ctas for side in asked.sides),
            cooperative=all(side.contract.launch.cooperative for side in asked.sides),
            proved=self._proved,
            x_ctas=asked.x_ctas,
        )

    def stuck(self, study: Study, batch: int, contract: Contract, ctas: int) -> StatedCall | None:
        """Return the launch of a program whose first tile waits for an arrival that never comes."""
        return stuck_call(study, model_of(study.spec.value, batch), contract, ctas)

    def compared(self, call: AskedCall, found: Arrays, expected: Arrays) -> ArrayComparison:
        """Compare tensor by tensor."""
        model = _model(call)
        # The weights are those of the run on both sides, as the reference does not return them.
        ours, theirs = _arenas(model, found), _arenas(model, {**found, **expected})
        return ArrayComparison(differences(ours, theirs), largest_distance(ours, theirs))


STREAMLET = Streamlet()


def _call(call: AskedCall) -> Call:
    """Return the call that is asked for; one that is timed by itself is the one whose sizes the programs state."""
    model = _model(call)
    if call.number is None:
        return timed_call(model, call.group)
    asked = Call(call.group, call.number)
    require_room(model, call.study.spec.value, (asked,))
    return asked


def _model(call: AskedCall) -> Model:
    return model_of(call.study.spec.value, call.batch)


def _arenas(model: Model, arrays: Arrays) -> Arenas:
    return Arenas(model.layout, arrays["floats"], arrays["weights"], arrays["ids"])
