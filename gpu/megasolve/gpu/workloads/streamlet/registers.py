"""The registers of streamlet's kernels per thread, as contracts state them: those of the resource table, for the spec's device."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from megasolve.contracts import Compiled, read_document

COMPILER = "nvrtc 13.0"
COMPUTE_CAPABILITY = "9.0"


def registers_by_entry(table_file: Path, compute_capability: str = COMPUTE_CAPABILITY) -> Mapping[str, int]:
    """Return the registers of each entry that the table in *table_file* holds; nothing where there is no table yet.

    Of several kernels of an entry, for different batches, the neediest counts.
    """
    document = read_document(table_file)[0] if table_file.is_file() else None
    if document is None or not isinstance(document.value, Compiled):
        return {}
    kernels = [kernel for kernel in document.value.kernels if kernel.compute_capability == compute_capability]
    # The neediest comes last and is the one that stays.
    ordered = sorted(kernels, key=lambda kernel: kernel.registers)
    return {entry: kernel.registers for kernel in ordered for entry in kernel.entries}
