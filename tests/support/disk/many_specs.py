"""Many small specs in one folder: one step on kernels or as a megakernel, ten batches, and files that all of them share."""

from __future__ import annotations

from pathlib import Path

from tests.support.disk.files import DEVICE, write

BATCHES = tuple(range(1, 11))

_SPEC = """\
megasolve: spec/v1
name: step{number}
device: h100.yaml
precision: bf16
batches: [{batches}]
groups:
  - {{name: S, role: producer}}
publication: {{group: S, step: {number}}}
policies: [serial]
contracts: [contracts/*.yaml]
records: [records.yaml]
"""
_FUSED = """\
megasolve: contract/v1
entry: fused
backend: megakernel
members: [S]
budgets_ctas: [132]
launch: {threads: 256, registers: 64}
dispatch: {kind: stream, host_waits: false, host_us: 40, exposed_us: 1}
loops_on_device: true
"""
_KERNELS = """\
megasolve: contract/v1
entry: kernels
backend: conventional
members: [S]
kernels: 8
launch: {threads: 256, registers: 64, ctas_per_sm: 1}
dispatch: {kind: graph, host_waits: false, host_us: 5, exposed_us: 1, gap_us: 1}
"""
_SHARED = "  - {{group: S, budget_ctas: 132, precision: bf16, device: h100, hbm_bytes: 1000, batch: {batch}, duration_us: {us}, {shape}}}\n"
_MADE_UP = 'provenance: {kind: measured, source: made up, tool: a timer, date: "2026-10-19"}'
_OF_FUSED = f"backend: megakernel, entries: [fused], context: {{launch: {{threads: 256, registers: 64}}}}, {_MADE_UP}"
_OF_KERNELS = f"backend: conventional, entries: [kernels], context: {{launch: {{threads: 256, registers: 64, ctas_per_sm: 1}}}}, {_MADE_UP}"


def write_many(folder: Path, count: int) -> list[str]:
    """Write *count* specs, the k-th of which publishes after k steps, and return their paths in that order.

    A step takes 20 us and 3 us for each request as kernels, launched anew, and 30 us as a megakernel, which stays. Its launch is dear.
    """
    write(folder, "h100.yaml", DEVICE)
    write(folder, "contracts/fused.yaml", _FUSED)
    write(folder, "contracts/kernels.yaml", _KERNELS)
    rows = [
        row
        for batch in BATCHES
        for row in (_SHARED.format(batch=batch, us=30, shape=_OF_FUSED), _SHARED.format(batch=batch, us=20 + 3 * batch, shape=_OF_KERNELS))
    ]
    write(folder, "records.yaml", f"megasolve: records/v1\nrecords:\n{''.join(rows)}")
    batches = ", ".join(map(str, BATCHES))
    return [str(write(folder, f"step{number:02}.yaml", _SPEC.format(number=number, batches=batches))) for number in range(1, count + 1)]
