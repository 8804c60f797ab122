"""A small spec with programs, as files: one step as kernels, two of which are recorded, and as a megakernel at two budgets."""

from __future__ import annotations

from pathlib import Path

from tests.support.disk.files import DEVICE, write

SPEC = """\
megasolve: spec/v1
name: steps
device: h100.yaml
precision: bf16
batches: [1, 8]
groups:
  - {name: D, role: producer}
publication: {group: D, step: 1}
symbols: {layers: 4}
policies: [serial]
contracts: [contracts/*.yaml]
records: [records.yaml]
"""

FUSED = """\
megasolve: contract/v1
entry: fused
backend: megakernel
members: [D]
budgets_ctas: [132, 88]
launch: {threads: 256, registers: 64}
dispatch: {kind: stream, host_waits: false, host_us: 0, exposed_us: 0}
loops_on_device: false
synchronization: {kind: counters, cost_us: 0.5}
programs:
  D:
    - repeat: layers
      operators:
        - {name: up, kind: explicit, tiles: 264, compute_us: 2, weight_bytes: 65536, after: [{operator: down, previous: true}]}
        - {name: down, kind: explicit, tiles: 132 * batch, compute_us: 3, weight_bytes: 32768, after: [{operator: up}]}
"""

KERNELS = """\
megasolve: contract/v1
entry: kernels
backend: conventional
members: [D]
kernels: 8
launch: {threads: 256, registers: 64, ctas_per_sm: 1}
dispatch: {kind: graph, host_waits: false, host_us: 5, exposed_us: 1, gap_us: 1}
programs:
  D:
    - repeat: layers
      operators:
        - {name: up, kind: explicit, tiles: 264, compute_us: 2, weight_bytes: 65536, after: [{operator: down, previous: true}]}
        - {name: down, kind: explicit, tiles: 132 * batch, compute_us: 3, weight_bytes: 32768, after: [{operator: up}]}
"""

RECORDS = """\
megasolve: records/v1
records:
  - group: D
    backend: conventional
    entries: [kernels]
    budget_ctas: 132
    batch: 1
    precision: bf16
    device: h100
    context: {launch: {threads: 256, registers: 64, ctas_per_sm: 1}}
    duration_us: 60
    hbm_bytes: 86507520
    provenance: {kind: measured, source: a run, tool: a timer, date: "2026-10-19"}
"""


def write_steps(folder: Path, **changed: str) -> str:
    """Write the spec and all that it names, each of *spec*, *fused*, *kernels* and *records* replaced where given."""
    write(folder, "h100.yaml", changed.get("device", DEVICE))
    write(folder, "contracts/fused.yaml", changed.get("fused", FUSED))
    write(folder, "contracts/kernels.yaml", changed.get("kernels", KERNELS))
    write(folder, "records.yaml", changed.get("records", RECORDS))
    return write(folder, "steps.yaml", changed.get("spec", SPEC))
