"""The resource table of streamlet: what the compiler says now is what is committed, and it shows what fusing operators costs."""

from __future__ import annotations

import functools
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from megasolve.contracts import Build, Compiled, CompiledKernel, Contract, Launch, Study, load_study
from megasolve.contracts.limits.occupancy import occupancy
from megasolve.gpu.compile.architectures import ARCHITECTURES
from megasolve.gpu.compile.build import build_of, compile_build, register_limit
from megasolve.gpu.compile.manifest import MANIFEST, manifests, sources_sha256
from megasolve.gpu.compile.resource_table import TABLE, resource_table, run_on_spec, table_text, write
from megasolve.gpu.programs.operations import OPERATIONS
from megasolve.gpu.workloads.streamlet.__main__ import refresh
from tests.support.kernels.streamlet import SPEC
from tests.support.toolchain import needs_nvrtc

FOLDER = SPEC.with_suffix("")
REFRESH = "run: python -m megasolve.gpu.workloads.streamlet specs/streamlet.yaml"


@functools.cache
def study() -> Study:
    """Return streamlet as it is shipped, consistent or not."""
    found, findings = load_study(SPEC)
    assert found is not None, findings
    return found


@functools.cache
def table() -> Compiled:
    """Return what the compiler says now; a few dozen seconds of work where no cubin is in the cache."""
    return resource_table(study())


def contracts() -> dict[str, Contract]:
    return {document.value.entry: document.value for document in study().contracts}


def contents(folder: Path) -> Mapping[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def resident_ctas(one: CompiledKernel) -> int:
    """Return how many blocks of a kernel the registers let an SM hold."""
    return occupancy(study().device.value, Launch(threads=one.threads, registers=one.registers)).ctas_per_sm


def kernel(symbol: str) -> CompiledKernel:
    return next(one for one in table().kernels if one.symbol == symbol and one.compute_capability == "9.0")


def test_the_manifest_is_that_of_the_sources_as_they_are() -> None:
    for name, text in manifests().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, f"the kernels changed; {REFRESH}"


def test_every_contract_names_the_manifest_as_its_source() -> None:
    stated = {contract.source.sha256 if contract.source else None for contract in contracts().values()}
    assert stated == {sources_sha256()}, f"the contracts are of other kernels; {REFRESH}"


@needs_nvrtc
def test_the_committed_table_is_what_the_compiler_says() -> None:
    assert (FOLDER / TABLE).read_text(encoding="utf-8") == table_text(table()), f"if the kernels are right, {REFRESH}"


@needs_nvrtc
def test_one_command_brings_contracts_manifest_and_table_up_to_date(tmp_path: Path) -> None:
    spec = Path(shutil.copy(SPEC, tmp_path))
    copy = Path(shutil.copytree(FOLDER, tmp_path / FOLDER.name))
    (copy / MANIFEST).unlink()
    (copy / "contracts/C.yaml").unlink()
    (copy / TABLE).write_text(re.sub(r"registers: \d+", "registers: 1", (copy / TABLE).read_text(encoding="utf-8")), encoding="utf-8")
    refresh(spec)
    assert contents(copy) == contents(FOLDER)


@pytest.mark.parametrize(("arguments", "told"), [([], "expected one argument"), (["absent.yaml"], "^absent.yaml: no such file$")])
def test_a_command_without_a_spec_says_so_in_one_line(arguments: list[str], told: str) -> None:
    with pytest.raises(SystemExit, match=told):
        run_on_spec(write, arguments)


@needs_nvrtc
def test_every_contract_is_compiled_for_the_device_and_the_full_entry_for_every_architecture() -> None:
    entries = {capability: set[str]() for capability in ARCHITECTURES}
    for one in table().kernels:
        entries[one.compute_capability] |= set(one.entries)
    full = {"P_B_L_C"}
    assert entries == {"8.0": full, "9.0": set(contracts()), "10.0": full, "12.0": full}
    assert {one.symbol for one in table().kernels} >= {f"k_{operation}" for operation in OPERATIONS}


@needs_nvrtc
def test_a_fused_entry_takes_the_residency_of_its_neediest_operator_from_all_others() -> None:
    full, norm, sums = kernel("ms_P_B_L_C"), kernel("k_norm"), kernel("k_elementwise")
    assert resident_ctas(full) == resident_ctas(kernel("k_matmul")) == 1
    assert resident_ctas(norm) >= 4
    assert resident_ctas(sums) == study().device.value.threads_per_sm // 256


@needs_nvrtc
def test_bound_to_the_residency_of_a_single_operator_a_fused_entry_spills() -> None:
    norm, full = kernel("k_norm"), contracts()["P_B_L_C"]
    launch = full.launch.model_copy(update={"ctas_per_sm": resident_ctas(norm)})
    bound = full.model_copy(update={"launch": launch, "build": Build(compiler="nvrtc 13.0")})
    needs = compile_build(build_of(bound), "9.0").resources["ms_P_B_L_C"]
    assert needs.registers <= register_limit(256, resident_ctas(norm)) < kernel("ms_P_B_L_C").registers
    assert needs.spills
    assert not norm.spills


@needs_nvrtc
@pytest.mark.parametrize("entry", ["P_B_L_C", "B_L"])
def test_more_threads_bound_the_registers_of_an_entry(entry: str) -> None:
    wide, usual = kernel(f"ms_{entry}_512"), kernel(f"ms_{entry}")
    assert wide.registers <= register_limit(512) < usual.registers
    assert not usual.spills
