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
MOST_LINES = 140
RECORDED = {"scale_rows": 64, "scale_rows_persistently": 4, "mix_rows": 64, "mix_rows_persistently": 4}
SYMBOLS = {"S": "scale_rows_persistently", "S_rows": "scale_rows", "M": "mix_rows_persistently", "M_rows": "mix_rows"}

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


def write_source(contract: Path, name: str, more: str = "") -> None:
    """Let a contract of such a copy say which kernel of the package it is."""
    source = f"source: {{file: ../../../site/{name}/kernels.cu, symbol: {SYMBOLS[contract.stem]}{more}}}\n"
    contract.write_text(contract.read_text(encoding="utf-8") + source, encoding="utf-8")


def test_the_example_is_small_enough_to_be_copied() -> None:
    files = [path for path in (EXAMPLE / "row_scaling").iterdir() if path.suffix in (".py", ".cu")]
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
    assert lines < MOST_LINES
    for page in ("README.md", "CONTRIBUTING.md", "docs/measuring.md", "docs/guide/extend.md"):
        assert f"{lines} lines" in (CHECKOUT / page).read_text(encoding="utf-8"), page


def test_its_files_read_without_findings() -> None:
    done = megasolve("check", str(EXAMPLE))
    assert (done.exit_code, done.stdout) == (0, "no findings in 6 files\n")


@needs_example
@needs_stand_in
def test_all_kernels_are_checked_and_timed(tmp_path: Path) -> None:
    done = measured(EXAMPLE / "rows.yaml", "-o", str(tmp_path / "rows.jsonl"))
    assert done.returncode == 0, done.stdout + done.stderr
    head, *records = map(json.loads, (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines())
    assert head == {"megasolve": "records/v1"}
    shown = {record["provenance"]["measurement"]["launch"]["symbol"]: record for record in records}
    assert {symbol: record["provenance"]["measurement"]["launch"]["grid_ctas"] for symbol, record in shown.items()} == RECORDED
    for record in records:
        assert record["provenance"]["measurement"]["relative_l2"] < 1e-6
        assert record["provenance"]["fake"] is True


@needs_stand_in
def test_a_kernel_that_computes_something_else_gets_no_record(tmp_path: Path) -> None:
    name = "row_scaling_wrong"
    spec, site = copied(tmp_path, name=name, old="x[at + i] * scale * gain[i]", new="x[at + i] * scale")
    contracts = [*(spec.parent / "rows/contracts").glob("*.yaml")]
    for contract in contracts:
        write_source(contract, name, f', sha256: "{"0" * 64}"')
    stale = measured(spec, "--entry", "S", site=site)
    assert stale.returncode == 1
    assert "entry 'S' is of source 000000000000..., and the kernels are of" in stale.stdout
    digest = hashlib.sha256((site / name / "kernels.cu").read_bytes()).hexdigest()
    for contract in contracts:
        contract.write_text(contract.read_text(encoding="utf-8").replace("0" * 64, digest), encoding="utf-8")
    done = measured(spec, "--entry", "S", site=site)
    assert done.returncode == 1
    assert "S in 'S' on 4 CTAs disagrees with the reference: y: relative L2 distance" in done.stdout


WHOLE = ("c:S/c:M@serial", "c:S/c:M@streams", "m:S/c:M@streams:8/c", "m:S/m:M@dynamic:8/4")


@needs_example
@needs_stand_in
def test_whole_candidates_and_a_co_run_are_checked_and_timed(tmp_path: Path) -> None:
    asked = [f"--candidate={candidate}" for candidate in WHOLE]
    done = measured(EXAMPLE / "rows.yaml", *asked, "--co-run=8/4", "--samples=1", "-o", str(tmp_path / "runs.jsonl"))
    assert done.returncode == 0, done.stdout + done.stderr
    head, *runs = map(json.loads, (tmp_path / "runs.jsonl").read_text(encoding="utf-8").splitlines())
    assert head == {"megasolve": "measured/v1"}
    assert all(run["qualified"] and float(run["relative_l2"]) < 1e-6 and run["provenance"]["fake"] for run in runs)
    assert tuple(run["composition"]["candidate"] for run in runs[:4]) == WHOLE
    assert runs[3]["notes"] == ["whether its sides ran beside each other is not known: their kernels write no trace"]
    beside_megakernel, beside_kernels = (run["co_run"] for run in runs[4:])
    assert (beside_megakernel["wanted_ctas"], beside_megakernel["met_ctas"]) == (12, 12)
    assert (beside_kernels["wanted_ctas"], beside_kernels["met_ctas"]) == (8, 8)
    assert all(pair[side]["pair_us"] for pair in (beside_megakernel, beside_kernels) for side in ("producer", "consumer"))


@needs_stand_in
def test_what_it_has_no_launch_for_is_refused_with_the_place(tmp_path: Path) -> None:
    name = "row_scaling_both"
    spec, site = copied(tmp_path, name=name, old="// Two groups", new="// Both groups")
    contracts = spec.parent / "rows/contracts"
    for contract in contracts.glob("*.yaml"):
        write_source(contract, name)
    text = (contracts / "S.yaml").read_text(encoding="utf-8")
    (contracts / "S_M.yaml").write_text(text.replace("entry: S", "entry: S_M").replace("[S]", "[S, M]"), encoding="utf-8")
    done = measured(spec, "--candidate=m:S+M@serial", "--samples=1", site=site)
    assert done.returncode == 1, done.stdout + done.stderr
    because = f"workload '{name}:WORKLOAD': no composed() of it launches S1 to M1 in 'S_M', which wait for each other on the device"
    assert f"S_M.yaml:10:11: {because} (docs/measuring.md#your-own-kernels)" in done.stdout, done.stdout + done.stderr


@needs_example
@needs_stand_in
def test_the_guards_hold_with_its_kernels() -> None:
    line = [sys.executable, "-m", "megasolve.gpu.experiments.guards", str(EXAMPLE / "rows.yaml"), "--backend", "cpu"]
    done = subprocess.run(line, check=False, capture_output=True, text=True, env=environment())
    assert done.returncode == 0, done.stdout + done.stderr
    *_, limit, stop, cooperative, ordinary, lacking = done.stdout.splitlines()
    assert limit.startswith("held    a wait ends at its time limit: gave up: CTA ")
    assert limit.endswith(" waited too long at a meeting, 88 of 89 had come")
    assert stop.endswith(" was told to stop at a meeting, 88 of 89 had come")
    met = "grids meet: 132 of 132 CTAs met, on 88 and 44 SMs, of which 0 are the same"
    assert (cooperative, ordinary) == (f"held    two cooperative {met}", f"held    two ordinary {met}")
    assert lacking == "held    a meeting that lacks a CTA ends: not co-resident: 0 of 133 CTAs met within 0.05 s"


@needs_stand_in
def test_a_candidate_whose_chunk_is_wrong_does_not_qualify(tmp_path: Path) -> None:
    name = "row_scaling_late"
    # Steps that nobody has run: what stands there is NaN.
    spec, site = copied(tmp_path, name=name, old="sum += y[place(of, step, row) + i]", new="sum += y[place(of, step + 2, row) + i]")
    for contract in (spec.parent / "rows/contracts").glob("*.yaml"):
        write_source(contract, name)
    done = measured(spec, "--candidate=m:S/m:M@serial", "--samples=1", site=site)
    assert done.returncode == 1
    assert "did not qualify: m:S/m:M@serial, batch 1: disagrees with the reference: z: " in done.stdout, done.stdout + done.stderr
