"""Streamlet as a workload: its arenas are the arrays, and a persistent entry runs the program of one call."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from megasolve.contracts import Contract, Study

from ...compile.build import build_of, symbols_of
from ...compile.code import KernelCode
from ...compile.kernels_source import kernel_sources
from ...programs.arenas import Arenas
from ...programs.diagnosis import Diagnosis
from ...programs.executions import tile_programs
from ...programs.group_calls import Call, Streams
from ...programs.instructions import InstructionProgram
from ...programs.operands import entry_operations
from ...programs.operations import entry_shared_bytes, shared_bytes
from ...programs.verify import ProgramGrid, faults
from ..comparing import ArrayComparison
from ..workload import Arrays, AskedCall, Buffer, Constant, KernelArgument, Scratch, StatedCall, StatedLaunch, UnclearInputs, Word, Workload
from .conventional import KernelLaunch, launches_of
from .inputs import drawn_inputs, poisoned, timed_call
from .model import Model, model_of
from .persistent import compile_program
from .reference import margin, reference
from .trials import LEAST_MARGIN, differences, largest_distance
from .verify_launches import launch_faults

# One for each stream: the common one, X and Y.
_TICKETS = 3


@dataclass(frozen=True, slots=True)
class ProgramCall(StatedCall):
    """A call as the one program that a persistent entry runs, proved before anything is launched."""

    program: InstructionProgram = field(kw_only=True)
    model: Model = field(kw_only=True)
    contract: Contract = field(kw_only=True)
    ctas: int = field(kw_only=True)
    proved: set[bytes] = field(kw_only=True)

    def faults(self, resident_ctas: int) -> Sequence[str]:
        """Return what the verifier finds. Budgets that take the same tiles need no second proof."""
        program = self.program
        words = hashlib.sha256(b"".join(part.tobytes() for part in (program.words, program.waits, program.signals))).digest()
        if words in self.proved:
            return ()
        grid = ProgramGrid(self.ctas, resident_ctas, cooperative=self.contract.launch.cooperative)
        found = faults(program, self.model.layout, grid, entry_operations(self.contract))
        if not found:
            self.proved.add(words)
        return tuple(map(str, found))

    def complaint(self, diagnosis: Sequence[int]) -> str | None:
        """Return at which tile the kernel gave up."""
        # Behind what is said stand a spare word and the claim of the CTA that was the first to say it.
        return Diagnosis(*diagnosis[:6]).text(self.program) if diagnosis[0] else None

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

    def reference(self, call: AskedCall, arrays: Arrays) -> Arrays:
        """Return both arenas after the call in float64.

        Raises
        ------
        UnclearInputs
            The two best tokens of a sequence are too close to call.
        """
        model = _model(call)
        timed = timed_call(model, call.group)
        expected = reference(model, _arenas(model, arrays), [timed])
        if margin(expected, timed) < LEAST_MARGIN:
            raise UnclearInputs(f"two best tokens closer than {LEAST_MARGIN} of their spread")
        return {"floats": expected.floats, "ids": expected.ids}

    def launches(self, call: AskedCall, contracts: Sequence[Contract], ctas: int) -> StatedCall:
        """Return the launch of a program, or those of conventional kernels."""
        model = _model(call)
        timed = timed_call(model, call.group)
        if contracts[0].backend == "megakernel":
            return self._persistent(call.study, model, timed, contracts[0], ctas)
        planned = launches_of(call.study, model, timed, contracts)
        launches = (StatedLaunch(f"k_{one.operation.name}", one.grid_ctas, (*_ARENAS, Constant(one.table)), one.entry) for one in planned)
        return KernelCalls(tuple(launches), str(timed), planned=planned, model=model)

    def compared(self, call: AskedCall, found: Arrays, expected: Arrays) -> ArrayComparison:
        """Compare tensor by tensor."""
        model = _model(call)
        # The weights are those of the run on both sides, as the reference does not return them.
        ours, theirs = _arenas(model, found), _arenas(model, {**found, **expected})
        return ArrayComparison(differences(ours, theirs), largest_distance(ours, theirs))

    def _persistent(self, study: Study, model: Model, timed: Call, contract: Contract, ctas: int) -> ProgramCall:
        program = compile_program(model, study.spec.value, tile_programs(study, contract, model.sizes.batch, ctas), Streams((timed,)))
        held = tuple(Constant(words) for words in (program.words, program.waits, program.signals))
        streams = program.streams()
        grid_ctas = contract.grid_ctas or ctas
        (symbol,) = symbols_of(contract)
        # Streams of no instructions make the same kernel find nothing to do.
        arguments, idle = ((*held, Constant(told), *_rest(program)) for told in (streams, np.zeros_like(streams)))
        launch = StatedLaunch(symbol, grid_ctas, arguments, contract.entry, idle)
        return ProgramCall((launch,), str(timed), program=program, model=model, contract=contract, ctas=grid_ctas, proved=self._proved)


_ARENAS = (Buffer("floats"), Buffer("weights"), Buffer("ids"))
STREAMLET = Streamlet()


def _rest(program: InstructionProgram) -> tuple[KernelArgument, ...]:
    """Return the arguments of a persistent entry behind its program and streams."""
    counted = (Scratch("counters", program.counters), Scratch("tickets", _TICKETS))
    # None is the trace: what is timed writes none.
    return (*counted, *_ARENAS, Word.STOP, Word.DIAGNOSIS, None, Word.TIMEOUT_NS)


def _model(call: AskedCall) -> Model:
    return model_of(call.study.spec.value, call.batch)


def _arenas(model: Model, arrays: Arrays) -> Arenas:
    return Arenas(model.layout, arrays["floats"], arrays["weights"], arrays["ids"])
