"""What a workload returns that cannot be is told in one line with the place of its name, and is used by nobody."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from megasolve.gpu.compile.build import KernelBuild
from megasolve.gpu.errors import GpuError
from megasolve.gpu.workloads import (
    AskedCall,
    Buffer,
    Call,
    KernelCode,
    LaunchSet,
    LaunchSide,
    StatedCall,
    StatedLaunch,
    Streams,
    UnclearInputs,
    Workload,
    cuda_code,
)
from megasolve.gpu.workloads.guarded_workload import GuardedWorkload, WorkloadFailed
from tests.support.kernels.streamlet import shipped

STUDY = shipped()
CALL = AskedCall(STUDY, "L", 1)
CONTRACT = next(document.value for document in STUDY.contracts if document.value.entry == "L")
X = np.arange(4, dtype=np.float32)
ODD: Any = X
LAUNCH = StatedLaunch("k", 2, (Buffer("x"), 3), "L")
CODE = KernelCode(KernelBuild("k.cu", ()), {"k.cu": ""}, ("k",))


def workload(answer: Any) -> Any:
    """Return a workload that answers every question with *answer*, or raises it."""

    def given(*_: object) -> Any:
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return type(
        "Answering", (Workload,), dict.fromkeys(("kernels", "inputs", "reference", "launches", "start", "composed", "stuck"), given)
    )()


def guarded(answer: Any, name: str = "pack:WORKLOAD") -> GuardedWorkload:
    return GuardedWorkload(workload(answer), name, "S.yaml:9:11")


ASKED: dict[str, Callable[[GuardedWorkload], object]] = {
    "kernels": lambda one: one.kernels(CONTRACT),
    "inputs": lambda one: one.inputs(CALL, 1),
    "reference": lambda one: one.reference(CALL, {"x": X}),
    "launches": lambda one: one.launches(CALL, (CONTRACT,), 2),
    "start": lambda one: one.start(STUDY, 1, 1),
    "composed": lambda one: one.composed(LaunchSet(STUDY, 1, Streams((Call("L", 2),)), (LaunchSide(CONTRACT, 2, (Call("L", 2),)),))),
    "stuck": lambda one: one.stuck(STUDY, 1, CONTRACT, 2),
}


@pytest.mark.parametrize(
    ("what", "answer", "because"),
    [
        ("kernels", None, "a NoneType, where a KernelCode is asked for"),
        ("kernels", KernelCode(CODE.build, CODE.texts, ()), "code without a symbol to launch"),
        ("kernels", KernelCode(CODE.build, {}, ("k",)), "no text of its source 'k.cu'"),
        ("inputs", [X], "a list, where arrays by name are asked for"),
        ("inputs", {"x": [1, 2]}, "'x', which is no array of numbers"),
        ("inputs", {"x": X.astype(object)}, "'x', which is no array of numbers"),
        ("inputs", {3: X}, "3, which is no array of numbers"),
        ("inputs", {"x": X[:0]}, "'x', which is empty"),
        ("reference", {}, "no array, so nothing would be checked"),
        ("reference", {"y": X}, "'y', which is none of x"),
        ("reference", {"x": X[:3]}, "'x' of shape (3,), where the inputs have (4,)"),
        ("start", {}, "no array, so nothing would be checked"),
        ("start", {"x": None}, "'x', which is no array of numbers"),
        ("composed", None, "a NoneType, where a StatedCall is asked for"),
        ("composed", StatedCall((LAUNCH, LAUNCH)), "launches of L, L, where one each is asked for of L"),
        ("stuck", StatedCall(()), "no launch"),
        ("launches", (LAUNCH,), "a tuple, where a StatedCall is asked for"),
        ("launches", StatedCall(()), "no launch"),
        ("launches", StatedCall((StatedLaunch("k", 2, (), "M"),)), "a launch of entry 'M', which is none of L"),
        ("launches", StatedCall((StatedLaunch("k", 0, (), "L"),)), "a launch of k on 0 CTAs"),
        ("launches", StatedCall((StatedLaunch("k", 2, (ODD,), "L"),)), "a launch of k with an argument of type ndarray"),
    ],
)
def test_what_cannot_be_is_told_with_the_place_of_the_name(what: str, answer: object, because: str) -> None:
    with pytest.raises(WorkloadFailed) as refused:
        ASKED[what](guarded(answer))
    assert str(refused.value) == f"S.yaml:9:11: workload 'pack:WORKLOAD': {what}() returns {because}"


@pytest.mark.parametrize("what", ASKED)
def test_what_is_raised_is_told_with_where_in_which_file(what: str) -> None:
    with pytest.raises(WorkloadFailed) as refused:
        ASKED[what](guarded(ValueError("of\n two  lines")))
    text = str(refused.value)
    assert text.startswith(f"S.yaml:9:11: workload 'pack:WORKLOAD': {what}() raises ValueError: of two lines ({__file__}:")
    assert "\n" not in text


def test_a_refusal_keeps_its_words() -> None:
    with pytest.raises(WorkloadFailed, match=r"^S.yaml:9:11: workload 'pack:WORKLOAD': no such size$"):
        guarded(GpuError("no such size")).kernels(CONTRACT)
    with pytest.raises(GpuError, match=r"^no such size$"):
        guarded(GpuError("no such size"), "megasolve.gpu:OURS").kernels(CONTRACT)


def test_unclear_inputs_pass_so_that_others_are_drawn() -> None:
    with pytest.raises(UnclearInputs, match=r"^two answers too close$"):
        guarded(UnclearInputs("two answers too close")).reference(CALL, {"x": X})


def test_what_can_be_passes_as_it_is() -> None:
    assert guarded(CODE).kernels(CONTRACT) is CODE
    assert guarded({"x": X}).inputs(CALL, 1)["x"] is X
    assert guarded({"x": X}).reference(CALL, {"x": X, "y": X})["x"] is X
    assert guarded(StatedCall((LAUNCH,))).launches(CALL, (CONTRACT,), 2).launches == (LAUNCH,)
    assert guarded(None).weights(STUDY, 1, 1) == {}
    guarded(None).require(STUDY, 1)
    assert guarded({"x": X}).start(STUDY, 1, 1)["x"] is X
    assert guarded(None).stuck(STUDY, 1, CONTRACT, 2) is None
    assert guarded(None).composes


def test_a_reference_cannot_change_what_the_kernels_read() -> None:
    changing, given = workload(None), X.copy()
    changing.reference = lambda _, arrays: {"x": np.negative(arrays["x"], out=arrays["x"])}
    expected = GuardedWorkload(changing, "pack:WORKLOAD", "S.yaml:9:11").reference(CALL, {"x": given})
    assert np.array_equal(expected["x"], -X)
    assert np.array_equal(given, X)


def test_calls_one_after_the_other_read_what_those_before_have_left() -> None:
    counting, given = workload(None), {"x": X, "y": X}
    counting.reference = lambda call, arrays: {"y": arrays["y"] + arrays["x"] * call.number}
    calls = [AskedCall(STUDY, "L", 1, number) for number in (1, 10)]
    left = GuardedWorkload(counting, "pack:WORKLOAD", "S.yaml:9:11").after(calls, given)
    assert np.array_equal(left["y"], 12 * X)
    assert left["x"] is X
    assert np.array_equal(given["y"], X)


def test_the_code_of_a_file_has_the_flags_of_the_build_and_the_symbol_of_the_source(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text("// kernel", encoding="utf-8")
    (tmp_path / "k.h").write_text("// header", encoding="utf-8")
    build = CONTRACT.build.model_copy(update={"flags": ("--use_fast_math",)}) if CONTRACT.build else None
    code = cuda_code(CONTRACT.model_copy(update={"build": build}), tmp_path / "k.cu", defines=("WIDE=1",), headers=(tmp_path / "k.h",))
    assert code.build == KernelBuild("k.cu", ("WIDE=1",), ("--use_fast_math",))
    assert (code.symbols, dict(code.texts)) == (("ms_L",), {"k.cu": "// kernel", "k.h": "// header"})
    assert cuda_code(CONTRACT.model_copy(update={"source": None}), tmp_path / "k.cu").symbols == ("L",)
