"""A small streamlet to be measured on the stand-in: few tiles, few CTAs, so that everything takes seconds."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from tests.support.kernels.streamlet import SMALL, SPEC

CONTRACTS = SPEC.parent / "streamlet/contracts"
_SHIPPED_BUDGETS = "budgets_ctas: [132, 88, 80, 52, 44]"


def write_small(
    folder: Path, *, entries: tuple[str, ...] = ("L",), budgets: str = "[3]", batches: str = "[1]", records: str = "[]"
) -> Path:
    """Write streamlet at small sizes: its conventional kernels as they are shipped, and some *entries* with other *budgets*."""
    (folder / "contracts").mkdir(parents=True, exist_ok=True)
    for entry in entries:
        text = (CONTRACTS / f"{entry}.yaml").read_text(encoding="utf-8")
        assert _SHIPPED_BUDGETS in text
        (folder / f"contracts/{entry}.yaml").write_text(text.replace(_SHIPPED_BUDGETS, f"budgets_ctas: {budgets}"), encoding="utf-8")
    shipped = SPEC.read_text(encoding="utf-8")
    head = shipped[: shipped.index("symbols:")].replace("batches: [1, 4, 32]", f"batches: {batches}")
    symbols = "".join(f"  {name}: {value}\n" for name, value in SMALL.items())
    (folder / "kernels").mkdir(exist_ok=True)
    for kernel in sorted((CONTRACTS / "kernels").glob("*.yaml")):
        # They stand one folder higher here, and with them the hashes of their sources.
        text = kernel.read_text(encoding="utf-8").replace("../../kernels.sha256", "../kernels.sha256")
        (folder / "kernels" / kernel.name).write_text(text, encoding="utf-8")
    for hashes in ("kernels.sha256", "sources.sha256"):
        shutil.copy(CONTRACTS.parent / hashes, folder / hashes)
    contracts = "contracts: [kernels/*.yaml, contracts/*.yaml]\n"
    spec = folder / "small.yaml"
    spec.write_text(f"{head}symbols:\n{symbols}{contracts}records: {records}\n", encoding="utf-8")
    return spec


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Return the records in a file of JSON lines, each of which must be whole."""
    text = path.read_text(encoding="utf-8")
    assert text.endswith("\n")
    head, *records = [json.loads(line) for line in text.splitlines()]
    assert head == {"megasolve": "records/v1"}
    return records
