"""Streamlet as it is shipped: its files check clean, equal what writes them, and plan without a single measurement."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from megasolve.contracts import check_paths, load_spec
from megasolve.contracts.sizes.symbols import symbol_values
from megasolve.gpu.programs.operands import entry_operations
from megasolve.gpu.programs.operations import entry_shared_bytes, shared_bytes
from megasolve.gpu.workloads.streamlet.contract_files import contract_files, write
from megasolve.gpu.workloads.streamlet.registers import COMPUTE_CAPABILITY, registers_by_entry
from megasolve.solver import solve
from tests.support.kernels.streamlet import SPEC, shipped
from tests.support.planning.totals import ProgramTotals, program_totals

CONTRACTS, TABLE = SPEC.with_suffix("") / "contracts", SPEC.with_suffix("") / "compiled.yaml"
RUNS = {"P", "P_B", "P_B_L", "P_B_L_C", "B", "B_L", "B_L_C", "L", "L_C", "C"}
FURTHER = {"P_B_L_C_128", "P_B_L_C_512", "B_L_128", "B_L_512"}


def texts_in(folder: Path) -> Mapping[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in folder.rglob("*.yaml")}


def test_streamlet_checks_clean_but_for_the_kernels_that_spill_at_512_threads() -> None:
    found = [(finding.rule.code, Path(finding.place.file).stem) for finding in check_paths([SPEC]).findings]
    assert found == [("CMP-05", "B_L_512"), ("CMP-05", "P_B_L_C_512")]


@pytest.mark.parametrize("device", ["h100_sxm", "h100_nvl", "b200"])
def test_streamlet_can_be_planned_on_its_other_devices(device: str) -> None:
    assert load_spec(SPEC, device=device).device.value.name == device


def test_the_committed_contracts_are_those_that_the_package_writes() -> None:
    assert texts_in(CONTRACTS) == contract_files(shipped().spec.value.symbols["layers"], registers_by_entry(TABLE))


def test_the_writer_puts_the_contracts_beside_their_spec(tmp_path: Path) -> None:
    spec = tmp_path / "streamlet.yaml"
    spec.write_text(SPEC.read_text(encoding="utf-8").replace("layers: 2", "layers: 3"), encoding="utf-8")
    (tmp_path / "streamlet").mkdir()
    (tmp_path / "streamlet/compiled.yaml").write_bytes(TABLE.read_bytes())
    write(spec)
    assert texts_in(tmp_path / "streamlet" / "contracts") == contract_files(3, registers_by_entry(TABLE))
    assert "kernels: 3" in (tmp_path / "streamlet/contracts/kernels/B_step.yaml").read_text(encoding="utf-8")


def test_the_writer_takes_the_registers_of_the_architecture_of_the_specs_device(tmp_path: Path) -> None:
    spec, contract = tmp_path / "streamlet.yaml", tmp_path / "streamlet/contracts/P_B_L_C.yaml"
    spec.write_text(SPEC.read_text(encoding="utf-8").replace("device: h200", "device: b200", 1), encoding="utf-8")
    (tmp_path / "streamlet").mkdir()
    for name in ("compiled.yaml", "kernels.sha256"):
        (tmp_path / "streamlet" / name).write_bytes(TABLE.with_name(name).read_bytes())
    # A spec without contracts is no study yet, so the first time nothing is known of its device.
    write(spec)
    write(spec)
    assert f"registers: {registers_by_entry(TABLE, '10.0')['P_B_L_C']}," in contract.read_text(encoding="utf-8")
    assert "unverified: not compiled yet" in contract.with_name("B.yaml").read_text(encoding="utf-8")


def test_a_contract_whose_kernel_was_never_compiled_says_so(tmp_path: Path) -> None:
    assert registers_by_entry(tmp_path / "absent.yaml") == {}
    files = contract_files(2, {"B": 200})
    assert "launch: {threads: 256, registers: 200, ctas_per_sm: 1," in files["B.yaml"]
    assert "launch: {threads: 256, unverified: not compiled yet, ctas_per_sm: 1," in files["L.yaml"]


def test_registers_are_those_of_the_architecture_of_the_device_and_of_the_neediest_kernel() -> None:
    assert shipped().device.value.compute_capability == COMPUTE_CAPABILITY
    (table,) = shipped().compiled
    full = {kernel.compute_capability: kernel.registers for kernel in table.value.kernels if kernel.symbol == "ms_P_B_L_C"}
    products = [kernel.registers for kernel in table.value.kernels if "B_qkv" in kernel.entries]
    assert registers_by_entry(TABLE)["P_B_L_C"] == full["9.0"] != full["10.0"]
    assert registers_by_entry(TABLE)["B_qkv"] == max(products) > min(products)


def test_the_writer_refuses_a_spec_without_layers() -> None:
    with pytest.raises(SystemExit, match="no spec with the symbol 'layers'"):
        write(SPEC.with_name("nh_tts.yaml"))


def test_there_is_a_megakernel_for_each_contiguous_run_and_more_for_two_of_them() -> None:
    contracts = [document.value for document in shipped().contracts if document.value.backend == "megakernel"]
    assert {contract.entry for contract in contracts} == RUNS | FURTHER
    assert {contract.entry: contract.launch.threads for contract in contracts if contract.launch.threads != 256} == {
        entry: int(entry[-3:]) for entry in FURTHER
    }


def test_kernels_and_megakernels_of_a_group_do_the_same_work() -> None:
    study = shipped()
    for group in ("P", "B", "L", "C"):
        symbols = symbol_values(study.spec.value, group, 4)
        by_backend: dict[str, list[ProgramTotals]] = {"megakernel": [], "conventional": []}
        kernels = 0
        for document in study.contracts:
            if group in document.value.programs:
                by_backend[document.value.backend].append(program_totals(document.value.programs[group], symbols))
                kernels += document.value.kernels if document.value.backend == "conventional" else 0
        (whole,) = set(by_backend["megakernel"])
        assert sum(part.flops for part in by_backend["conventional"]) == whole.flops
        assert sum(part.weight_bytes for part in by_backend["conventional"]) == whole.weight_bytes
        assert kernels == whole.operators


def test_every_launch_has_the_shared_memory_that_its_operators_need() -> None:
    for document in shipped().contracts:
        contract, operations = document.value, entry_operations(document.value)
        threads = contract.launch.threads or 0
        if contract.backend == "megakernel":
            assert contract.launch.shared_bytes >= entry_shared_bytes(operations, threads)
        else:
            assert contract.launch.shared_bytes >= max(shared_bytes(operation, threads) for operation in operations)


def test_streamlet_is_ranked_by_simulated_times_alone() -> None:
    (result,) = solve(shipped(), batches=[1]).results
    assert len(result.ranking) == 54 + 2 * (6 + 3)
    assert result.excluded == ()
    assert {kind for row in result.ranking for kind in row.evidence} == {"tile-simulated"}
