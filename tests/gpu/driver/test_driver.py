from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from megasolve.contracts.limits.occupancy import occupancy
from megasolve.contracts.model.contract import Launch as DeclaredLaunch
from megasolve.gpu.children.child import Crashed, Failed
from megasolve.gpu.driver.errors import driver_error
from megasolve.gpu.standin.driver_double import StandIn
from tests.support.standin.probes import probe_cubin, probe_library, shipped_device, with_registers
from tests.support.standin.stand_ins import in_child, stand_in, value_of
from tests.support.toolchain import needs_stand_in


@needs_stand_in
def test_the_whole_host_path_runs_on_a_cubin_and_says_that_it_was_no_gpu(tmp_path: Path) -> None:
    seen = value_of(in_child("everything", tmp_path, stand_in()))
    assert seen["untouched"]
    assert seen["right"]
    assert seen["registers"] == 10
    assert seen["resident_ctas"] == 16 * 132
    assert seen["alone_us"] < seen["graph_us"] < 10 * seen["alone_us"]
    assert seen["fake"] is True
    assert seen["name"] == "STAND-IN h200"


@needs_stand_in
def test_a_stream_waits_for_the_event_of_another_and_a_cubin_may_have_a_library_of_its_own(tmp_path: Path) -> None:
    twin = (tmp_path / "probe.cubin", probe_library())
    played = StandIn(shipped_device("h200"), twins=(twin,))
    assert value_of(in_child("order_of_streams", tmp_path, played)) == {"right": True, "first is done": True}


@needs_stand_in
def test_a_launch_keeps_its_shared_memory_when_another_of_its_kernel_asks_for_less(tmp_path: Path) -> None:
    assert value_of(in_child("launches_of_one_kernel", tmp_path, stand_in())) == [True, True]


@needs_stand_in
def test_objects_free_themselves_in_the_order_that_the_driver_needs(tmp_path: Path) -> None:
    assert value_of(in_child("live_objects", tmp_path, stand_in())) == [0, 0, 0]


@pytest.fixture(scope="module")
def refusals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what is said to each thing that cannot be, on a device of little memory."""
    folder = tmp_path_factory.mktemp("refusals")
    (folder / "other.cubin").write_bytes(probe_cubin("sm_80"))
    small = StandIn(shipped_device("h200"), kernels=(probe_library(),), memory_bytes=10**6)
    said: dict[str, str] = value_of(in_child("refusals", folder, small, other=str(folder / "other.cubin")))
    return said


@needs_stand_in
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("closed memory", "ValueError: this Memory has been given back to the driver"),
        ("closed module", "ValueError: the module of kernel probe_double has been given back to the driver"),
        ("too long", "ValueError: an array of 68 bytes does not fit in 64 bytes of device memory"),
        ("gaps", "ValueError: an array that is copied must be contiguous"),
        ("beyond", "ValueError: words 10 to 17 of a memory of 16 words"),
        ("no entry point", "EntryPointMissing: the driver library has no cuProfilerStart"),
        ("too large", "LaunchRefused: cuLaunchCooperativeKernel: CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE (720)"),
        ("too large in a graph", "LaunchRefused: cuLaunchCooperativeKernel: CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE (720)"),
        ("after that", "nothing"),
        ("other architecture", "WrongArchitecture: cuModuleLoadData: CUDA_ERROR_NO_BINARY_FOR_GPU (209)"),
        ("no cubin", "WrongArchitecture: cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE (200)"),
        ("no kernel", "DriverError: cuModuleGetFunction: CUDA_ERROR_NOT_FOUND (500): the module has no kernel of this name"),
        ("too much", "OutOfMemory: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): the device has too little memory left"),
    ],
)
def test_what_cannot_be_is_refused_with_its_reason(refusals: dict[str, str], asked: str, message: str) -> None:
    assert refusals[asked].startswith(message)


@pytest.mark.parametrize(
    ("code", "error", "ends_context", "remedy"),
    [
        (2, "OutOfMemory", False, "use a smaller batch"),
        (222, "WrongArchitecture", False, "update the driver to 580 or newer"),
        (700, "IllegalAccess", True, "run it on the CPU under the race detector"),
        (701, "LaunchRefused", False, "compile a variant with launch bounds"),
        (702, "LaunchTimedOut", True, "read the diagnosis words"),
        (719, "KernelFailed", True, "run it alone under compute-sanitizer"),
        (803, "DriverError", False, "reboot after the update"),
        (12345, "DriverError", False, "see this code in the CUDA Driver API reference"),
    ],
)
def test_each_failure_of_the_driver_has_a_class_and_a_remedy(code: int, error: str, ends_context: bool, remedy: str) -> None:
    failure = driver_error("cuSomething", code, "CUDA_ERROR_SOMETHING")
    assert type(failure).__name__ == error
    assert failure.ends_context is ends_context
    assert str(failure).startswith(f"cuSomething: CUDA_ERROR_SOMETHING ({code}): ")
    assert remedy in str(failure)


@needs_stand_in
def test_after_a_kernel_failed_every_call_repeats_it(tmp_path: Path) -> None:
    said = value_of(in_child("ended_context", tmp_path, stand_in(faults=("cuStreamSynchronize 700",))))
    assert [line.partition(":")[0] for line in said] == ["IllegalAccess"] * 3
    assert said[1].startswith("IllegalAccess: cuMemGetInfo: CUDA_ERROR_ILLEGAL_ADDRESS (700)")


@needs_stand_in
def test_a_planted_fault_fails_the_call_of_its_number(tmp_path: Path) -> None:
    failed = in_child("everything", tmp_path, stand_in(faults=("cuMemAlloc#2 2",)))
    assert isinstance(failed, Failed)
    assert failed.error == "OutOfMemory"
    assert "given, taken = Memory.holding(" in failed.stderr


@needs_stand_in
def test_kernels_meet_if_they_are_resident_together_and_else_leave_at_their_time_limit(tmp_path: Path) -> None:
    together: dict[str, Any] = {"blocks": (5, 3), "wanted": 8, "patience_s": 10.0}
    limited = {**together, "wanted": 9, "timeout_ns": 10**9}
    met, waited = value_of(in_child("meetings", tmp_path, stand_in(sms=8), pairs=[together, limited]))
    assert met == {"met": True, "ended": True, "diagnosis": [0, 0]}
    assert waited == {"met": True, "ended": True, "diagnosis": [1, 1]}


@needs_stand_in
def test_kernels_that_cannot_meet_leave_at_the_stop_word(tmp_path: Path) -> None:
    pair = {"blocks": (5, 3), "wanted": 8, "patience_s": 0.1}
    assert value_of(in_child("meetings", tmp_path, stand_in(sms=6), pairs=[pair])) == [{"met": False, "ended": True, "diagnosis": [2, 2]}]


@needs_stand_in
def test_a_wait_without_end_is_a_timeout_that_says_who_waits_for_what(tmp_path: Path) -> None:
    failed = in_child("waiting_in_vain", tmp_path, stand_in())
    assert isinstance(failed, Failed)
    assert failed.error == "LaunchTimedOut"
    assert (
        "probe_meet (stream 1, cooperative): 3 of 3 CTAs resident, 0 ended; cta 0 on SM 0: 1 polling (counter 0 is 3 of 4)" in failed.stderr
    )


@needs_stand_in
def test_the_driver_counts_resident_blocks_as_the_contracts_do(tmp_path: Path) -> None:
    device, registers = shipped_device("h200"), (10, 33, 156, 255)
    cubins = [tmp_path / f"{count}.cubin" for count in registers]
    for cubin, count in zip(cubins, registers, strict=True):
        cubin.write_bytes(with_registers(probe_cubin(), count))
    shapes = [(threads, shared) for threads in (32, 128) for shared in (0, 1000, 50_000, 115_712, 115_713, 232_448)]
    asked: dict[str, Any] = {"cubins": list(map(str, cubins)), "kernel": "probe_turn", "shapes": [(1, *shape, False) for shape in shapes]}
    counted = [seen["ctas_per_sm"] for seen in value_of(in_child("attempts", tmp_path, stand_in(), **asked))]
    declared = [DeclaredLaunch(threads=threads, registers=count, shared_bytes=shared) for count in registers for threads, shared in shapes]
    assert counted == [occupancy(device, launch).ctas_per_sm for launch in declared]


@needs_stand_in
def test_a_driver_that_crashes_costs_its_child_and_names_the_signal(tmp_path: Path) -> None:
    crashed = in_child("everything", tmp_path, stand_in(faults=("cuMemAlloc crash",)))
    assert isinstance(crashed, Crashed)
    assert str(crashed).startswith("died of signal SIGSEGV")
