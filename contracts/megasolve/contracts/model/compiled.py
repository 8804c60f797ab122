"""The compiled file: what the compiler says that each kernel needs, on each architecture that it was compiled for."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .base import Bytes, ComputeCapability, Count, EntryName, Frozen, Ignored, Sha256, Text


class CompiledKernel(Frozen):
    """One kernel as it was compiled: for which *compute_capability*, block and CTAs per SM, and what it needs then.

    *entries* are the contracts whose kernel it is. Registers, stack and spills are of one thread, *shared_bytes* is the static shared
    memory of one block.
    """

    symbol: Text
    entries: Annotated[tuple[EntryName, ...], Field(min_length=1)]
    compute_capability: ComputeCapability
    threads: Count
    ctas_per_sm: Count = 1
    registers: Count
    stack_bytes: Bytes = 0
    spill_store_bytes: Bytes = 0
    spill_load_bytes: Bytes = 0
    shared_bytes: Bytes = 0

    @property
    def spills(self) -> bool:
        """Whether values that found no register travel through memory."""
        return self.spill_store_bytes > 0 or self.spill_load_bytes > 0


class Compiled(Frozen):
    """The table of resources that *compiler* reported for kernels from the source with the hash *source_sha256*."""

    megasolve: Literal["compiled/v1"]
    compiler: Text
    source_sha256: Sha256
    kernels: tuple[CompiledKernel, ...]
    notes: Text | None = None
    ignore: tuple[Ignored, ...] = ()
