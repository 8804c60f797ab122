"""What is wrong with a trace is said in a line, and the rest goes on: of a structure, of shapes, of what is assumed, of two models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import megasolve
from tests.support.disk.files import write
from tests.support.profiles.kineto_traces import Event, annotation, call, kernel, trace_text
from tests.support.profiles.step_traces import GPU

ONE = ("a_embed", *("a_norm", "a_gemm", "a_attention") * 4, "a_head")
OTHER = ("b_embed", *("b_conv", "b_act") * 5, "b_out")


def in_a_row(*names: str, start: int = 0, first: int = 1, stream: int = 7) -> list[Event]:
    """Return launches of 5 microseconds with gaps of 1."""
    events: list[Event] = []
    for place, name in enumerate(names):
        at = start + 6 * place
        events += [call("cudaLaunchKernel", at / 10, first + place), kernel(name, at + 10, 5, correlation=first + place, stream=stream)]
    return events


def traced(folder: Path, *events: Event) -> str:
    return write(folder, "trace.json", trace_text(*events, deviceProperties=[GPU]))


def cut(folder: Path, file: str, *words: str) -> list[str]:
    """Return what `new` says of *file*, which it takes."""
    result = megasolve("new", str(folder / "model.yaml"), "--from", file, *words)
    assert result.exit_code == 0, result.stderr
    assert megasolve("solve", str(folder / "model.yaml")).exit_code == 0
    return result.stdout.splitlines()


@pytest.mark.parametrize("words", [("headroom",), ("import",), ("new", "model.yaml", "--cut", "layers", "--from")])
def test_a_trace_without_kernels_is_refused_in_a_line(tmp_path: Path, words: tuple[str, ...]) -> None:
    result = megasolve(*words, traced(tmp_path, call("cudaLaunchKernel", 1, 1), annotation("ProfilerStep#1", 0, 100)))
    assert result.exit_code == 2
    (said,) = result.stderr.splitlines()
    assert "holds no kernels among 2 events" in said


@pytest.mark.parametrize("how", ["layers", "modules", "kernels"])
def test_a_step_without_repeats_is_one_group_and_that_is_said(tmp_path: Path, how: str) -> None:
    file = traced(tmp_path, *in_a_row(*(f"k_{letter}" for letter in "abcdefghijklmnop")))
    assert f"no kernels of a step repeat, so it has no layers: --cut {how} finds none" in cut(tmp_path, file, "--cut", how)
    assert megasolve("headroom", file).exit_code == 0


def test_two_models_that_take_turns_are_told_from_one(tmp_path: Path) -> None:
    events, first = [], 1
    for names in (ONE, OTHER, ONE, ONE, OTHER, OTHER, ONE, OTHER):
        events += in_a_row(*names, start=6 * first, first=first)
        first += len(names)
    said = "36 launches (180.000 us) outside of the steps, between them and of kernels that no step runs, as where two models take turns"
    file = traced(tmp_path, *events)
    assert any(said in line for line in cut(tmp_path, file, "--cut", "layers"))
    result = megasolve("headroom", file)
    assert (result.exit_code, said in result.stderr) == (0, True)


def test_two_models_at_once_on_two_streams_have_no_layers(tmp_path: Path) -> None:
    events = [one for step in range(3) for one in in_a_row(*ONE, start=100 * step, first=100 * step + 1)]
    events += [one for step in range(3) for one in in_a_row(*OTHER, start=100 * step + 3, first=100 * step + 51, stream=9)]
    file = traced(tmp_path, *events)
    refused = megasolve("new", str(tmp_path / "model.yaml"), "--from", file, "--cut", "layers")
    assert refused.exit_code == 2
    (said,) = refused.stderr.splitlines()
    assert "4 repeats of 3 kernels ('a_norm', 'a_gemm', 'a_attention')" in said
    assert "as where two models run beside each other" in said
    assert megasolve("headroom", file).exit_code == 0


def test_half_a_step_at_each_end_is_left_out(tmp_path: Path) -> None:
    file = traced(tmp_path, *in_a_row(*ONE[8:], *ONE * 4, *ONE[:6]))
    lines = cut(tmp_path, file, "--steps", "period:14", "--force")
    assert "one step: 84.000 µs of kernels and gaps, exactly as in the profile" in lines
    assert [line for line in lines if line.startswith("left out: ")] == ["left out: 12 launches (60.000 us) outside of the steps"]
    assert any("its kernels repeat 4 times, every 14 kernels: period:14" in line for line in cut(tmp_path, file, "--force"))


@pytest.mark.parametrize(
    "dims",
    [
        [[4, 8], [9, 7]],
        [[4, 8], [8, 7, 3]],
        [[0, 0], [0, 0]],
        [[], []],
        [[-4, 8], [8, 7]],
        [["4", 8], [8, None]],
        [[[4, 8], [8]], 3],
        "4x8",
        [[4, 2**62], [2**62, 2**62]],
        [[1] * 300] * 300,
    ],
)
def test_shapes_that_cannot_be_are_a_mark_and_no_crash(tmp_path: Path, dims: object) -> None:
    args = {"External id": 5, "Input Dims": dims, "Input type": ["c10::BFloat16", "c10::BFloat16"], "Concrete Inputs": ["", ""]}
    operator = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 100, "tid": 1, "ts": 0, "dur": 3, "args": args}
    launch = call("cudaLaunchKernel", 1, 1)
    launch["args"]["External id"] = 5
    file = traced(tmp_path, operator, launch, kernel("gemm", 10, 5, more={"External id": 5}))
    lines = cut(tmp_path, file)
    assert not any("parameters of weights" in line for line in lines) or any("below its floor" in line for line in lines)
    result = megasolve("headroom", file)
    assert result.exit_code == 0, result.stderr


@pytest.mark.parametrize(
    ("operator", "gpu", "why"),
    [
        ("aten::mm", GPU, ""),
        ("mine::secret", GPU, "unknown, as the shapes in the profile are of no operator that is recognized"),
        ("aten::mm", {**GPU, "name": "NVIDIA Nameless 9"}, "unknown, as no device file knows its GPU"),
        ("", GPU, "unknown, as the profile recorded no shapes"),
    ],
)
def test_a_floor_that_is_unknown_says_why(tmp_path: Path, operator: str, gpu: dict[str, object], why: str) -> None:
    args = {"External id": 5, "Input Dims": [[4, 8], [8, 7]], "Input type": ["float", "float"], "Concrete Inputs": ["", ""]}
    recorded = [{"ph": "X", "cat": "cpu_op", "name": operator, "pid": 100, "tid": 1, "ts": 0, "dur": 3, "args": args}] if operator else []
    launch = call("cudaLaunchKernel", 1, 1)
    launch["args"]["External id"] = 5
    events = [*recorded, launch, kernel("gemm", 10, 5, more={"External id": 5})]
    lines = megasolve("import", write(tmp_path, "t.json", trace_text(*events, deviceProperties=[gpu]))).stdout.splitlines()
    (floor,) = (line.strip() for line in lines if line.strip().startswith("at the floor: "))
    assert floor == f"at the floor: {why}" if why else "its kernels one by one at the peaks of the device" in floor


def test_an_assumption_on_what_is_no_region_is_said_and_the_others_count(tmp_path: Path) -> None:
    file = traced(tmp_path, *in_a_row(*ONE))
    cut(tmp_path, file, "--cut", "layers")
    every = [{"fuse": ["head", "nowhere"]}, {"fuse": ["head", "tail"]}, {"fuse": ["head", "layer"]}]
    assumed = write(tmp_path, "assumed.yaml", json.dumps({"megasolve": "assume/v1", "assume": every}))
    result = megasolve("headroom", str(tmp_path / "model.yaml"), "--plan", "--assume", assumed)
    assert result.exit_code == 0
    nowhere, apart = result.stderr.splitlines()
    assert "'nowhere' is no group of spec 'model'" in nowhere
    assert "head+tail is no region" in apart
    assert "Build in this order: assumed.head+layer saves 12.000 µs." in result.stdout
