"""Where experiments run: the spec's own GPU, and no other."""

from __future__ import annotations

import pytest

from megasolve.gpu.errors import GpuError
from megasolve.gpu.harness.places.places import OtherDevice, find_gpu, find_stand_in
from megasolve.gpu.standin.host_build import HostCompilerMissing
from tests.support.kernels.streamlet import shipped
from tests.support.standin.timed import device_facts

STUDY = shipped()


def test_the_first_gpu_that_the_spec_plans_for_is_taken() -> None:
    other, own = device_facts(ordinal=0, name="NVIDIA H100 80GB HBM3"), device_facts(ordinal=1)
    assert find_gpu(STUDY, [other, own]).ordinal == 1


@pytest.mark.parametrize(
    ("changes", "because"),
    [
        ({"name": "NVIDIA H100 80GB HBM3"}, "the driver calls it 'NVIDIA H100 80GB HBM3', not 'NVIDIA H200'"),
        ({"sms": 78}, "sms: 78 here, 132 in h200"),
        ({"name": "NVIDIA A100", "compute_capability": "8.0"}, "compute_capability: 8.0 here, 9.0 in h200"),
    ],
)
def test_another_gpu_is_refused_with_both_names_and_what_differs(changes: dict[str, object], because: str) -> None:
    facts = device_facts(**changes)
    with pytest.raises(OtherDevice) as caught:
        find_gpu(STUDY, [facts])
    text = str(caught.value)
    assert text.startswith(f"the GPU here is {facts.name}, and the spec plans for h200 (NVIDIA H200 SXM, 141 GB): ")
    assert because in text
    assert text.endswith("plan for this one with --device")


def test_the_stand_in_is_never_taken_for_a_gpu() -> None:
    with pytest.raises(OtherDevice, match="STAND-IN h200 is no GPU but the stand-in that plays one: say --backend cpu"):
        find_gpu(STUDY, [device_facts(name="STAND-IN h200", fake=True)])


def test_launches_that_wait_for_their_end_are_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "1")
    with pytest.raises(GpuError, match="CUDA_LAUNCH_BLOCKING is set"):
        find_gpu(STUDY, [device_facts()])


def test_without_a_compiler_nothing_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(HostCompilerMissing, match="install g"):
        find_stand_in(STUDY)
