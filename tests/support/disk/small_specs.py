"""Streamlet on disk at sizes at which the stand-in runs it in a second: few SMs, small tensors, the shipped contracts."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tests.support.kernels.streamlet import SMALL, SPEC

SMS, PRODUCER_CTAS, CONSUMER_CTAS = 6, 4, 2
_BUDGETS = f"budgets_ctas: [{SMS}, {PRODUCER_CTAS}, {CONSUMER_CTAS}]"


def write_small_spec(folder: Path) -> Path:
    """Write the spec, its device and its contracts into *folder*, and return the file of the spec."""
    contracts = folder / "streamlet"
    shutil.copytree(SPEC.with_suffix(""), contracts, ignore=shutil.ignore_patterns("*.jsonl"))
    for path in contracts.rglob("*.yaml"):
        path.write_text(re.sub(r"budgets_ctas: \[.*\]", _BUDGETS, path.read_text(encoding="utf-8")), encoding="utf-8")
    device = (SPEC.parent / "devices" / "h200.yaml").read_text(encoding="utf-8")
    (folder / "small.yaml").write_text(
        _replaced(device, name="small", sms=SMS, l2_bytes=1 << 20, partition="{unit_sms: 2, minimum_sms: 2}"), encoding="utf-8"
    )
    spec = _replaced(SPEC.read_text(encoding="utf-8"), device="small.yaml", other_devices="[]", batches="[1, 3]", **SMALL)
    pair = f"  - {{producer_ctas: {PRODUCER_CTAS}, consumer_ctas: {CONSUMER_CTAS}}}\n"
    spec = re.sub(r"budget_pairs:\n(  - .*\n)+", f"budget_pairs:\n{pair}", spec)
    spec = re.sub(r"^records: .*$", "records: []", spec, flags=re.MULTILINE)
    target = folder / "streamlet.yaml"
    target.write_text(spec, encoding="utf-8")
    return target


def _replaced(text: str, **values: object) -> str:
    """Return *text* with the values of some keys replaced, where they stand first."""
    for key, value in values.items():
        text, count = re.subn(rf"^(\s*){key}: .*$", rf"\g<1>{key}: {value}", text, count=1, flags=re.MULTILINE)
        assert count == 1, f"there is no {key}"
    return text
