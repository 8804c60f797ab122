"""Where the files of the rules lie, what each of them is expected to give, and small files to break."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from megasolve.contracts import CheckReport, check_paths
from tests.support.disk.files import LIMITS

TESTS = Path(__file__).parents[2]
ACCEPT, REJECT, WARN = TESTS / "accept", TESTS / "reject", TESTS / "warn"
PAGES = TESTS.parent / "docs" / "rules"

_EXPECTED = re.compile(r'# expect: (\S+ [^\s";]+:\d+:\d+)')

DEVICE = f"""\
megasolve: device/v1
name: gpu
title: A GPU
compute_capability: "9.0"
sms: 132
{LIMITS}hbm_peak_bytes_per_s: 4e12
hbm_sustained_bytes_per_s: 3.6e12
dense_flops_per_s: 8e14
launch:
  stream: {{host_us: 4, exposed_us: 2}}
sources: {{default: invented}}
"""
SPEC = """\
megasolve: spec/v1
name: model
device: device.yaml
precision: bf16
batches: [1]
groups:
  - {name: P, role: admission}
  - {name: B, role: producer}
  - {name: L, role: producer}
  - {name: C, role: consumer}
stream: {first_chunk: 2}
contracts: []
records: []
"""
CONTRACT = """\
megasolve: contract/v1
entry: decode
backend: megakernel
members: [B]
budgets_ctas: [132, 88]
launch: {threads: 256, registers: 128}
dispatch: {kind: stream, host_waits: false}
"""
RECORDS = """\
megasolve: records/v1
records:
  - group: B
    backend: megakernel
    entries: [decode]
    budget_ctas: 132
    batch: 1
    precision: bf16
    device: gpu
    context: {launch: {threads: 256, registers: 128}}
    duration_us: 100
    provenance: {kind: published, source: invented}
"""
KERNEL = """\
megasolve: contract/v1
entry: norm
backend: conventional
members: [B]
launch: {threads: 256, registers: 64}
dispatch: {kind: stream, host_waits: false}
"""


def expected(file: Path) -> list[str]:
    """Return the findings that *file* announces in its head, each as `CODE PATH:LINE:COLUMN`."""
    return _EXPECTED.findall(file.read_text())


def found(report: CheckReport) -> list[str]:
    """Return the findings of *report*, each as `CODE PATH:LINE:COLUMN`."""
    return [f"{finding.rule.code} {finding.place}" for finding in report.findings]


def files_in(folder: Path) -> list[Path]:
    """Return the files of *folder*, sorted by name."""
    return sorted(path for path in folder.iterdir() if path.is_file())


def changed(text: str, *changes: tuple[str, str]) -> str:
    """Return *text* with each (old, new) applied; every old part must stand in it once."""
    for old, new in changes:
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in the text"
        text = text.replace(old, new)
    return text


def check_text(folder: Path, text: str) -> list[str]:
    """Return what `check` says about one file with *text*, as `CODE message`."""
    return check_files(folder, {"file.yaml": text})


def check_study(folder: Path, spec: str = SPEC, device: str = DEVICE, **companions: str) -> list[str]:
    """Return what `check` says about *spec* with contracts and records in its folder, as `CODE message`.

    Companions whose name ends in `records` are named under the spec's records, all others under its contracts.
    """
    names = {f"{name}.yaml": text for name, text in companions.items()}
    records = sorted(name for name in names if name.endswith("records.yaml"))
    contracts = sorted(name for name in names if name not in records)
    spec = spec.replace("contracts: []", f"contracts: [{', '.join(contracts)}]").replace("records: []", f"records: [{', '.join(records)}]")
    return check_files(folder, {"spec.yaml": spec, "device.yaml": device, **names})


def check_files(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Write *files* into *folder*, check the first of them, and return the findings as `CODE message`."""
    for name, text in files.items():
        (folder / name).write_text(text)
    report = check_paths([folder / next(iter(files))])
    return [f"{finding.rule.code} {finding.message}" for finding in report.findings]


def codes_of(findings: Sequence[str]) -> list[str]:
    """Return the rule codes, in the order of the findings."""
    return [finding.split()[0] for finding in findings]
