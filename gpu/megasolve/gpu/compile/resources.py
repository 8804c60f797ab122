"""What a compiled kernel needs: registers, stack, spills and shared memory, read from the log of the assembler (`ptxas -v`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

# One paragraph of the log per kernel; the format is the same from CUDA 12 to 13.5.
_ENTRY = re.compile(
    r"Compiling entry function '(?P<symbol>\w+)' for '(?P<architecture>\w+)'"
    r".*?(?P<stack>\d+) bytes stack frame, (?P<stores>\d+) bytes spill stores, (?P<loads>\d+) bytes spill loads"
    r".*?Used (?P<registers>\d+) registers(?P<rest>[^\n]*)",
    re.DOTALL,
)
_SHARED = re.compile(r"(?<!\d)(\d++) bytes smem")


@dataclass(frozen=True, slots=True)
class Resources:
    """What one thread (*registers*, *stack_bytes*, spills) and one block (*shared_bytes*, static) of a compiled kernel need."""

    registers: int
    stack_bytes: int
    spill_store_bytes: int
    spill_load_bytes: int
    shared_bytes: int

    @property
    def spills(self) -> bool:
        """Whether values that found no register travel through memory."""
        return self.spill_store_bytes > 0 or self.spill_load_bytes > 0


def resources_in(log: str) -> Mapping[str, Resources]:
    """Return the resources of every kernel that the assembler's *log* reports, by symbol."""
    return {found["symbol"]: _resources(found) for found in _ENTRY.finditer(log)}


def _resources(found: re.Match[str]) -> Resources:
    shared = _SHARED.search(found["rest"])
    return Resources(
        registers=int(found["registers"]),
        stack_bytes=int(found["stack"]),
        spill_store_bytes=int(found["stores"]),
        spill_load_bytes=int(found["loads"]),
        # The assembler does not name what is not used.
        shared_bytes=int(shared[1]) if shared else 0,
    )
