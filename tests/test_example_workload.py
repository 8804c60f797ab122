"""The workload in examples/, which users copy for their own kernels: small, installed, checked and timed on the stand-in."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.gpu.workloads.test_installed import write_distribution
from tests.support.command import CHECKOUT, environment, megasolve
from tests.support.toolchain import needs_stand_in

EXAMPLE = CHECKOUT / "examples/workload"
MOST_LINES = 100

needs_example = pytest.mark.skipif(
    find_spec("row_scaling") is None and "MEGASOLVE_CI" not in os.environ,
    reason="needs the package of the example: pip install -e examples/workload",
)


def measured(spec: Path, *words: str, site: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Measure *spec* on the stand-in, in its folder, where nothing leads to a package but its installation, or *site*."""
    folders = [environment()["PYTHONPATH"], *([str(site)] if site else [])]
    line = [sys.executable, "-m", "megasolve.cli", "measure", str(spec), "--backend", "cpu", *words]
    variables = {**environment(), "PYTHONPATH": os.pathsep.join(folders)}
    return subprocess.run(line, check=False, capture_output=True, text=True, env=variables, cwd=spec.parent)


def copied(folder: Path, *, name: str, old: str, new: str) -> tuple[Path, Path]:
    """Return the spec of a copy of the example as the package *name*, with a text of its kernels changed, and where it is installed."""
    site, spec = folder / "site", folder / "study/rows.yaml"
    shutil.copytree(EXAMPLE / "row_scaling", site / name, ignore=shutil.ignore_patterns("__pycache__"))
    write_distribution(site, name, f"{name}/__init__.py", f"{name}/kernels.cu")
    kernels = site / name / "kernels.cu"
    text = kernels.read_text(encoding="utf-8")
    assert old in text
    kernels.write_text(text.replace(old, new), encoding="utf-8")
    shutil.copytree(EXAMPLE / "rows", spec.with_suffix(""))
    shutil.copy(EXAMPLE / "rows.yaml", spec)
    for contract in spec.with_suffix("").rglob("*.yaml"):
        lines = contract.read_text(encoding="utf-8").replace("row_scaling:", f"{name}:").splitlines(keepends=True)
        contract.write_text("".join(line for line in lines if not line.startswith("source:")), encoding="utf-8")
    return spec, site


def test_the_example_is_small_enough_to_be_copied() -> None:
    files = [path for path in (EXAMPLE / "row_scaling").iterdir() if path.suffix in (".py", ".cu")]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) < MOST_LINES


def test_its_files_read_without_findings() -> None:
    done = megasolve("check", str(EXAMPLE))
    assert (done.exit_code, done.stdout) == (0, "no findings in 4 files\n")


@needs_example
@needs_stand_in
def test_both_kernels_are_checked_and_timed(tmp_path: Path) -> None:
    done = measured(EXAMPLE / "rows.yaml", "-o", str(tmp_path / "rows.jsonl"))
    assert done.returncode == 0, done.stdout + done.stderr
    head, *records = map(json.loads, (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines())
    assert head == {"megasolve": "records/v1"}
    shown = {record["provenance"]["measurement"]["launch"]["symbol"]: record for record in records}
    assert set(shown) == {"scale_rows", "scale_rows_persistently"}
    for record in records:
        assert record["provenance"]["measurement"]["relative_l2"] < 1e-6
        assert record["provenance"]["fake"] is True
    assert shown["scale_rows"]["provenance"]["measurement"]["launch"]["grid_ctas"] == 64
    assert shown["scale_rows_persistently"]["provenance"]["measurement"]["launch"]["grid_ctas"] == 4


@needs_stand_in
def test_a_kernel_that_computes_something_else_gets_no_record(tmp_path: Path) -> None:
    name = "row_scaling_wrong"
    spec, site = copied(tmp_path, name=name, old="x[i] * scale * gain[i]", new="x[i] * scale")
    contracts = [*(spec.parent / "rows/contracts").glob("*.yaml")]
    for contract in contracts:
        symbol = "scale_rows_persistently" if contract.stem == "S" else "scale_rows"
        source = f'source: {{file: ../../../site/{name}/kernels.cu, symbol: {symbol}, sha256: "{"0" * 64}"}}\n'
        contract.write_text(contract.read_text(encoding="utf-8") + source, encoding="utf-8")
    stale = measured(spec, "--entry", "S", site=site)
    assert stale.returncode == 1
    assert "entry 'S' is of source 000000000000..., and the kernels are of" in stale.stdout
    digest = hashlib.sha256((site / name / "kernels.cu").read_bytes()).hexdigest()
    for contract in contracts:
        contract.write_text(contract.read_text(encoding="utf-8").replace("0" * 64, digest), encoding="utf-8")
    done = measured(spec, "--entry", "S", site=site)
    assert done.returncode == 1
    assert "S in 'S' on 4 CTAs disagrees with the reference: y: relative L2 distance" in done.stdout


def test_co_runs_are_refused_with_the_place(tmp_path: Path) -> None:
    done = megasolve("measure", str(EXAMPLE / "rows.yaml"), "--dry-run", "--co-run", "8/4", "-o", str(tmp_path / "runs.jsonl"))
    assert done.exit_code == 2
    assert "S.yaml:11:11: entry 'S' names the workload 'row_scaling:WORKLOAD', and whole candidates and co-runs run programs" in done.stderr
