"""Contracts beside tables of what the compiler reported: what is compared with what, and what is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts import Severity, check_paths, load_study
from tests.support.disk.rule_files import CONTRACT, DEVICE, SPEC, changed, check_files

SHA = "0" * 63 + "1"
ANY = 'compute_capability: "9.0", threads: 256'
HEAD = CONTRACT.replace("entry: decode", "entry: head").replace("[B]", "[L]")


def table(*kernels: str, compiler: str = "nvcc 13.0", sha256: str = SHA) -> str:
    """Return a table of *kernels*, each as the keys after its symbol and entries."""
    rows = "".join(f"  - {{symbol: decode, entries: [decode], {kernel}}}\n" for kernel in kernels)
    return f'megasolve: compiled/v1\ncompiler: {compiler}\nsource_sha256: "{sha256}"\nkernels:\n{rows}'


def check(folder: Path, text: str, contract: str = CONTRACT, *further: str) -> list[str]:
    """Return what `check` says about *contract*, and *further* ones, beside one table."""
    contracts = {f"{index}.yaml": held for index, held in enumerate((contract, *further))}
    spec = SPEC.replace("contracts: []", f"contracts: [{', '.join(contracts)}]") + "compiled: [table.yaml]\n"
    return check_files(folder, {"spec.yaml": spec, "device.yaml": DEVICE, "table.yaml": text, **contracts})


def test_a_contract_as_it_was_compiled_is_clean(tmp_path: Path) -> None:
    assert check(tmp_path, table(f"{ANY}, registers: 128")) == []


def test_a_study_holds_the_tables_that_its_spec_names(tmp_path: Path) -> None:
    check(tmp_path, table(f"{ANY}, registers: 128"))
    study, _ = load_study(tmp_path / "spec.yaml")
    assert study is not None
    assert [document.value.kernels[0].registers for document in study.compiled] == [128]


def test_a_pattern_for_tables_that_matches_nothing_is_found(tmp_path: Path) -> None:
    spec = SPEC + "compiled: [absent.yaml]\n"
    assert check_files(tmp_path, {"spec.yaml": spec, "device.yaml": DEVICE}) == [f"FIL-02 'absent.yaml' matches no file in {tmp_path}"]


def test_a_contract_named_as_a_table_is_of_the_wrong_kind(tmp_path: Path) -> None:
    (found,) = check(tmp_path, CONTRACT)
    assert found.startswith("FIL-03 ")
    assert found.endswith("is a contract/v1 file, expected compiled/v1")


def test_the_neediest_of_several_kernels_of_an_entry_counts(tmp_path: Path) -> None:
    two = table(f"{ANY}, registers: 80", f"{ANY}, registers: 128").replace("symbol: decode", "symbol: matvec", 1)
    assert check(tmp_path, two) == []


def test_only_a_kernel_of_the_same_launch_is_compared(tmp_path: Path) -> None:
    bounds = (f"{ANY}, ctas_per_sm: 2, registers: 96, spill_load_bytes: 8", f"{ANY}, registers: 128")
    assert check(tmp_path, table(*bounds)) == []
    dense = changed(CONTRACT, ("registers: 128", "registers: 128, ctas_per_sm: 2"))
    assert [found[:6] for found in check(tmp_path, table(*bounds), dense)] == ["CMP-02", "CMP-05"]


def test_a_kernel_of_other_ctas_per_sm_is_found_at_that_key(tmp_path: Path) -> None:
    check(
        tmp_path, table(f"{ANY}, ctas_per_sm: 2, registers: 128"), changed(CONTRACT, ("registers: 128", "registers: 128, ctas_per_sm: 1"))
    )
    (finding,) = check_paths([tmp_path / "spec.yaml"]).findings
    assert (finding.rule.code, finding.path) == ("CMP-03", "$.launch.ctas_per_sm")


@pytest.mark.parametrize("launch", ["threads: 256", "registers: 128"])
def test_what_a_contract_does_not_state_is_not_compared(tmp_path: Path, launch: str) -> None:
    silent = changed(CONTRACT, ("launch: {threads: 256, registers: 128}", f"launch: {{{launch}, unverified: not known}}"))
    assert check(tmp_path, table(f"{ANY}, registers: 128"), silent) == []


def test_registers_on_a_device_of_another_architecture_are_no_more_than_a_warning(tmp_path: Path) -> None:
    kernels = (f"{ANY}, registers: 128", 'compute_capability: "10.0", threads: 256, registers: 144')
    assert check(tmp_path, table(*kernels)) == []
    other = changed(DEVICE, ("name: gpu", "name: other"), ('"9.0"', '"10.0"'))
    (tmp_path / "other.yaml").write_text(other)
    spec = tmp_path / "spec.yaml"
    report = check_paths([spec], device=str(tmp_path / "other.yaml"))
    assert [(finding.rule.code, finding.severity) for finding in report.findings] == [("CMP-02", Severity.WARNING)]
    assert "144 for compute capability 10.0; the figure of the contract is that of device 'device.yaml'" in report.findings[0].message


def test_entries_that_were_not_compiled_are_one_finding_of_the_spec(tmp_path: Path) -> None:
    others = [changed(CONTRACT, ("entry: decode", f"entry: other{index}")) for index in range(4)]
    (found,) = check(tmp_path, table(f"{ANY}, registers: 128"), CONTRACT, *others)
    assert found.startswith("CMP-08 nothing compiled for compute capability 9.0 of other0, other1, other2 and 1 more (4 of 5 contracts); ")


def test_a_spec_without_tables_is_not_asked_for_any(tmp_path: Path) -> None:
    spec = SPEC.replace("contracts: []", "contracts: [0.yaml]")
    assert check_files(tmp_path, {"spec.yaml": spec, "device.yaml": DEVICE, "0.yaml": CONTRACT}) == []


def test_an_old_table_is_found_once_however_many_contracts_it_has(tmp_path: Path) -> None:
    source = f"source: {{file: absent.cu, sha256: '{'a' * 64}'}}\n"
    text = table(f"{ANY}, registers: 128").replace("entries: [decode]", "entries: [decode, head]")
    assert check(tmp_path, text, CONTRACT + source, HEAD + source) == [
        "CMP-06 a table of the source 000000000000..., but contract 'decode' names aaaaaaaaaaaa...; compile the kernels again"
    ]


def test_a_contract_of_another_entry_may_be_of_another_source_and_compiler(tmp_path: Path) -> None:
    elsewhere = HEAD + f"source: {{file: absent.cu, sha256: '{'a' * 64}'}}\nbuild: {{compiler: nvcc 12.9}}\n"
    assert [found[:6] for found in check(tmp_path, table(f"{ANY}, registers: 128"), CONTRACT, elsewhere)] == ["CMP-08"]


def test_a_compiler_is_compared_as_it_is_written(tmp_path: Path) -> None:
    (found,) = check(tmp_path, table(f"{ANY}, registers: 128"), CONTRACT + "build: {compiler: nvcc 13.1}\n")
    assert found.startswith("CMP-07 compiler nvcc 13.1, but ")


def test_one_kernel_for_two_launches_is_not_repeated(tmp_path: Path) -> None:
    kernels = (
        f"{ANY}, registers: 128",
        f"{ANY}, ctas_per_sm: 2, registers: 128",
        'compute_capability: "9.0", threads: 512, registers: 128',
    )
    assert check(tmp_path, table(*kernels)) == []
