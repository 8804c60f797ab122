"""Builds: each contract of streamlet names one kernel, compiled with its own bounds and operators; another kernel is refused."""

from __future__ import annotations

from typing import Any

import pytest

from megasolve.contracts import Build, Contract, Role, load_study
from megasolve.gpu.compile.architectures import ARCHITECTURES, architecture_of
from megasolve.gpu.compile.build import KernelBuild, build_of, compile_build, register_limit, require_compiler, symbols_of
from megasolve.gpu.errors import GpuError
from megasolve.gpu.programs.operations import OPERATIONS, operations_mask
from tests.support.kernels.streamlet import SPEC
from tests.support.toolchain import needs_nvrtc

HEAD = ("norm", "matmul", "matvec", "sampling")


@pytest.fixture(scope="module")
def contracts() -> dict[str, Contract]:
    """Return the contracts of streamlet by entry."""
    study, findings = load_study(SPEC)
    assert study is not None, findings
    return {document.value.entry: document.value for document in study.contracts}


def launched(contract: Contract, **changed: Any) -> Contract:
    """Return *contract* with another launch, and without the register limit of the old one."""
    build = Build(compiler="nvrtc 13.0")
    return contract.model_copy(update={"launch": contract.launch.model_copy(update=changed), "build": build})


def test_an_entry_is_compiled_with_its_name_its_launch_bounds_and_the_operators_of_its_programs(contracts: dict[str, Contract]) -> None:
    head = launched(contracts["L"], threads=128, ctas_per_sm=3)
    own = ("MS_ENTRY=L", f"MS_OPERATIONS={operations_mask(HEAD):#x}")
    assert build_of(head) == KernelBuild("interpreter.cu", ("MS_THREADS=128", "MS_MIN_CTAS=3", *own))
    assert symbols_of(head) == ("ms_L",)


def test_a_name_that_is_no_identifier_becomes_one(contracts: dict[str, Contract]) -> None:
    renamed = contracts["L"].model_copy(update={"entry": "P+B-1.2"})
    assert symbols_of(renamed) == ("ms_P_B_1_2",)
    assert "MS_ENTRY=P_B_1_2" in build_of(renamed).defines


def test_conventional_contracts_share_a_build_and_each_has_the_kernel_of_its_operator(contracts: dict[str, Contract]) -> None:
    conventional = [contract for contract in contracts.values() if contract.backend == "conventional"]
    assert {build_of(contract) for contract in conventional} == {KernelBuild("conventional.cu", ("MS_THREADS=256", "MS_MIN_CTAS=1"))}
    assert symbols_of(contracts["B_step"]) == ("k_step",)
    # The batch decides which of the two runs.
    assert symbols_of(contracts["B_qkv"]) == ("k_matmul", "k_matvec")


def test_the_full_entry_holds_every_operator(contracts: dict[str, Contract]) -> None:
    assert f"MS_OPERATIONS={operations_mask(OPERATIONS):#x}" in build_of(contracts["P_B_L_C"]).defines


def test_flags_of_the_contract_reach_the_compiler(contracts: dict[str, Contract]) -> None:
    fast = contracts["L"].model_copy(update={"build": Build(compiler="nvrtc 13.0", flags=("--use_fast_math",))})
    assert build_of(fast).flags == ("--use_fast_math",)


@pytest.mark.parametrize(("capability", "architecture"), [("8.0", "sm_80"), ("9.0", "sm_90a"), ("10.0", "sm_100a"), ("12.0", "sm_120")])
def test_each_compute_capability_has_its_own_architecture(capability: str, architecture: str) -> None:
    assert architecture_of(capability) == architecture
    assert len(ARCHITECTURES) == 4


@pytest.mark.parametrize("capability", ["8.9", "9", "10.3", "12.1"])
def test_any_other_compute_capability_is_refused(capability: str) -> None:
    with pytest.raises(GpuError, match=rf"^no kernels for compute capability {capability}; they are compiled for 8\.0 \(sm_80\), "):
        architecture_of(capability)


@pytest.mark.parametrize(
    ("launch", "told"),
    [
        ({"threads": 192}, "'L' has 192 threads; the kernels are made for 128, 256, 512 threads"),
        ({"threads": None}, "'L' has no number of threads; "),
        ({"roles": (Role(name="loader", threads=128, registers=24),)}, "'L' has roles; "),
    ],
    ids=["threads", "nothing", "roles"],
)
def test_a_launch_that_the_kernels_are_not_made_for_is_refused(contracts: dict[str, Contract], launch: dict[str, Any], told: str) -> None:
    with pytest.raises(GpuError, match=told):
        build_of(launched(contracts["L"], **launch))


def test_a_contract_without_a_program_is_refused(contracts: dict[str, Contract]) -> None:
    with pytest.raises(GpuError, match="'L' has no program, so it is not known what its kernel computes"):
        build_of(contracts["L"].model_copy(update={"programs": {}}))


def test_an_operator_that_the_kernels_do_not_know_is_refused(contracts: dict[str, Contract]) -> None:
    (block,) = contracts["B_step"].programs["B"]
    scan = block.model_copy(update={"operators": (block.operators[0].model_copy(update={"kind": "scan"}),)})
    with pytest.raises(GpuError, match="'B_step' has operators of kind scan; the kernels know embedding, norm, "):
        symbols_of(contracts["B_step"].model_copy(update={"programs": {"B": (scan,)}}))


def test_a_conventional_contract_of_several_kinds_of_operators_is_refused(contracts: dict[str, Contract]) -> None:
    programs = {"B": (*contracts["B_step"].programs["B"], *contracts["B_norm_1"].programs["B"])}
    with pytest.raises(GpuError, match=r"'B_step' has operators of 2 kinds \(norm, step\)"):
        symbols_of(contracts["B_step"].model_copy(update={"programs": programs}))


@pytest.mark.parametrize(("threads", "ctas_per_sm", "limit"), [(128, 1, 255), (256, 1, 255), (512, 1, 128), (256, 3, 80), (512, 2, 64)])
def test_the_register_limit_is_the_file_over_the_resident_threads(threads: int, ctas_per_sm: int, limit: int) -> None:
    assert register_limit(threads, ctas_per_sm) == limit


def test_a_stated_register_limit_that_the_launch_bounds_do_not_give_is_refused(contracts: dict[str, Contract]) -> None:
    tighter = contracts["L"].model_copy(update={"build": Build(compiler="nvrtc 13.0", register_limit=128)})
    with pytest.raises(GpuError, match="'L' states a register limit of 128; the launch bounds of 256 threads at 1 per SM leave 255"):
        build_of(tighter)


@needs_nvrtc
@pytest.mark.parametrize(
    ("stated", "repair"), [("nvrtc 12.9", r"nvidia-cuda-nvrtc==12\.9\.\*"), ("nvcc 13.0", "write 'compiler: nvrtc 13.0'")]
)
def test_a_contract_of_another_compiler_is_not_compiled(contracts: dict[str, Contract], stated: str, repair: str) -> None:
    other = contracts["L"].model_copy(update={"build": Build(compiler=stated)})
    with pytest.raises(GpuError, match=f"'L' is of compiler {stated}, and this is nvrtc 13.0: another build is another kernel; .*{repair}"):
        require_compiler(other)


@needs_nvrtc
def test_more_ctas_per_sm_leave_fewer_registers_until_values_spill(contracts: dict[str, Contract]) -> None:
    alone = compile_build(build_of(contracts["L"]), "9.0").resources["ms_L"]
    crowded = compile_build(build_of(launched(contracts["L"], ctas_per_sm=4)), "9.0").resources["ms_L"]
    assert not alone.spills
    assert crowded.registers <= register_limit(256, 4) < alone.registers
    assert crowded.spills
