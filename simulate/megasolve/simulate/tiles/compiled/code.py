"""The kernel as machine code: translated and compiled by LLVM, or as it was kept."""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_int64, c_void_p
from types import FunctionType
from typing import Any

import numpy as np
from llvmlite import binding
from numpy.typing import NDArray

from ..kernel import memory as lists
from ..kernel.run import run
from . import memory
from .translation import ENTRY, translated

FIRST: Any = run
REPLACED = {
    vars(lists)[name]: function for name, function in vars(memory).items() if isinstance(function, FunctionType) and name in vars(lists)
}
"""What stands in compiled code in the place of functions on lists."""


def machine_code(entry: FunctionType = FIRST) -> bytes:
    """Return *entry*, and all that it calls, compiled for this processor."""
    machine = _machine()
    module = binding.parse_assembly(translated(entry, REPLACED))
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    # Unrolled loops take twice as long to compile, and are no faster: what they run over is short. What is inlined beyond the shortest
    # functions takes twice as long once more, and makes a tenth of difference.
    tuning = binding.create_pipeline_tuning_options(speed_level=1)
    tuning.inlining_threshold = 50
    tuning.loop_unrolling = tuning.loop_vectorization = tuning.loop_interleaving = False
    passes = binding.create_pass_builder(machine, tuning)
    passes.getModulePassManager().run(module, passes)
    code: bytes = machine.emit_object(module)
    return code


class CompiledRun:
    """The kernel as it is called: on an array, in place."""

    def __init__(self, code: bytes) -> None:
        # The engine owns the memory that the code stands in.
        self._engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _machine())
        self._engine.add_object_file(binding.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        self._entry = CFUNCTYPE(c_int64, c_void_p, c_int64)(self._engine.get_function_address(ENTRY))

    def __call__(self, cells: NDArray[np.int64]) -> int:
        """Run the schedule that is laid out in *cells*, and return where its last state stands there.

        Raises
        ------
        MemoryError
            There are not enough cells.
        TypeError
            They are no row of 64-bit numbers.
        """
        if cells.dtype != np.int64 or not cells.flags.c_contiguous:
            raise TypeError(f"cells of {cells.dtype}")
        at: int = self._entry(cells.ctypes.data, len(cells))
        if at < 0:
            raise MemoryError
        return at


def _machine() -> Any:
    """Return what makes machine code for this processor and for use in this process."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_triple(binding.get_process_triple())
    return target.create_target_machine(
        cpu=binding.get_host_cpu_name(), features=binding.get_host_cpu_features().flatten(), opt=2, jit=True
    )
