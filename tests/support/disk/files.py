"""A small valid file of each kind, and how to write one with a change."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from megasolve.contracts import Finding

CONTRACT = """\
megasolve: contract/v1
entry: talker
backend: megakernel
members: [P]
budgets_ctas: [132, 88]
launch: {threads: 512, registers: 128, shared_bytes: 1024}
dispatch: {kind: graph, host_waits: false, host_us: 1.25, exposed_us: 0, gap_us: 0}
loops_on_device: true
"""

LIMITS = """\
ctas_per_sm: 32
threads_per_sm: 2048
threads_per_cta: 1024
registers_per_sm: 65536
registers_per_cta: 65536
registers_per_thread: 255
register_unit_per_warp: 256
warp_unit_per_sm: 4
shared_bytes_per_sm: 233472
shared_bytes_per_cta: 232448
shared_reserve_bytes: 1024
shared_unit_bytes: 128
"""

DEVICE = f"""\
megasolve: device/v1
name: h100
title: a device for tests
compute_capability: "9.0"
sms: 132
{LIMITS}hbm_peak_bytes_per_s: 3900000000000
hbm_sustained_bytes_per_s: 3600000000000
launch: {{}}
sources: {{default: a table for tests}}
"""

SPEC = """\
megasolve: spec/v1
name: small
device: h100.yaml
precision: bf16
batches: [1]
groups:
  - {name: P, role: producer}
publication: {group: P, step: 1}
contracts: [contracts/*.yaml]
records: [records.yaml]
"""

RECORD_HEAD = '{"megasolve": "records/v1"}\n'
RECORD_LINE = (
    '{"group": "P", "backend": "megakernel", "entries": ["talker"], "budget_ctas": 132, "batch": 1, "precision": "bf16", "device": "h100", '
    '"context": {"launch": {"threads": 512, "registers": 128, "shared_bytes": 1024}}, "duration_us": 12.5, '
    '"provenance": {"kind": "measured", "source": "a run", "tool": "a timer", "date": "2026-10-19"}}\n'
)

RECORDS = """\
megasolve: records/v1
records:
  - group: P
    backend: megakernel
    entries: [talker]
    budget_ctas: 132
    batch: 1
    precision: bf16
    device: h100
    context: {launch: {threads: 512, registers: 128, shared_bytes: 1024}}
    duration_us: 12.5
    provenance: {kind: measured, source: a run, tool: a timer, date: "2026-10-19"}
"""


def write(folder: Path, name: str, text: str | bytes) -> str:
    """Write *text* to the file *name* in *folder* and return its path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


def write_study(folder: Path, **changed: str) -> str:
    """Write the small study, each of *spec*, *device*, *contract* and *records* replaced where given; return its spec's path."""
    write(folder, "h100.yaml", changed.get("device", DEVICE))
    write(folder, "contracts/talker.yaml", changed.get("contract", CONTRACT))
    write(folder, "records.yaml", changed.get("records", RECORDS))
    return write(folder, "small.yaml", changed.get("spec", SPEC))


def codes(findings: Iterable[Finding]) -> list[str]:
    """Return the codes of *findings*, in their order."""
    return [finding.rule.code for finding in findings]
