"""`megasolve headroom` of a profile alone: its structure is found, and the parts of its layers are looked at."""

from __future__ import annotations

from pathlib import Path

from tests.support.command import megasolve
from tests.support.disk.files import write
from tests.support.profiles.kineto_traces import annotation, call, kernel, trace_text
from tests.support.profiles.step_traces import GPU


def layered(folder: Path) -> str:
    """Write a trace of one step of four layers."""
    events = [annotation("ProfilerStep#1", 0, 500)]
    for place, name in enumerate(["embed", *["norm", "gemm", "flash_attention"] * 4, "head"], 1):
        events += [call("cudaLaunchKernel", place, place), kernel(name, 20 + 10 * place, 8, correlation=place)]
    return write(folder, "layers.json", trace_text(*events, deviceProperties=[GPU]))


def test_a_profile_with_layers_is_looked_at_by_its_layers(tmp_path: Path) -> None:
    result = megasolve("headroom", layered(tmp_path))
    assert result.exit_code == 0, result.stderr
    assert "layer.attention" in result.stdout


def test_one_of_several_gpus_is_looked_at_where_it_is_named(tmp_path: Path) -> None:
    events = [annotation("ProfilerStep#1", 0, 500)]
    for place, gpu in enumerate((0, 1, 0, 1)):
        events += [call("cudaLaunchKernel", place, place + 1), kernel("gemm", 20 + 10 * place, 5 + gpu, correlation=place + 1, device=gpu)]
    file = write(tmp_path, "two.json", trace_text(*events, deviceProperties=[GPU, {**GPU, "id": 1}]))
    refused = megasolve("headroom", file)
    assert refused.exit_code == 2
    # Several devices, and no streams, are what keeps it from being cut.
    assert refused.stderr.splitlines() == [
        f"Error: {file}: kernels ran on 2 devices (0, 1), which are never added up; choose one with --gpu N (in a spec: attribution.gpu)"
    ]
    result = megasolve("headroom", file, "--gpu", "1")
    assert result.exit_code == 0, result.stderr
    assert "2 kernels keep the device busy for 12.000 µs" in result.stdout


def test_what_a_profile_alone_does_not_say_is_said(tmp_path: Path) -> None:
    rows = 'Time (%),Total Time (ns),Instances,Avg (ns),Name\n60.0,6000,3,2000.0,"gemm"\n40.0,4000,2,2000.0,"norm"\n'
    result = megasolve("headroom", write(tmp_path, "sums.csv", rows), "--device", "h100_sxm")
    assert result.exit_code == 0, result.stderr
    said = result.stderr.splitlines()
    assert "NOTE: nsys cuda_gpu_kern_sum CSV: times in sum only, so idle time, steps and warm-up are unknown" in said
    assert "NOTE: assumed batches: no profile says how many requests ran at once; --batch N states it" in said
    assert "NOTE: assumed precision: no kernel name says it; megasolve new --precision NAME states it" in said


def test_kernels_of_no_group_are_counted(tmp_path: Path) -> None:
    result = megasolve("headroom", layered(tmp_path), "--group", "A=names:norm")
    assert "NOTE: not attributed: 4 kernels, 80.000 µs" in result.stderr.splitlines()


def two_streams(folder: Path, *, is_called: bool = True) -> str:
    """Write a trace of one step of eight layers with a copy on a second stream, which starts in ever another place."""
    events, at, number = [annotation("ProfilerStep#1", 0, 900)], 40, 0
    for layer in range(8):
        kernels = [("norm", at, 4, 7), ("gemm", at + 5, 10, 7), ("copy", at + 15 + (0, 3, 9)[layer * layer % 7 % 3], 3, 13)]
        for name, start, lasts, stream in (*kernels, ("flash_attention", at + 16, 8, 7), ("norm_2", at + 25, 7, 7)):
            number += 1
            correlation = number if is_called else None
            events += [call("cudaLaunchKernel", number / 10, number)] if is_called else []
            events.append(kernel(name, start, lasts, correlation=correlation, stream=stream))
        at += 33
    return write(folder, "two.json", trace_text(*events, deviceProperties=[GPU]))


def test_layers_with_a_second_stream_are_cut_in_the_order_of_their_launches(tmp_path: Path) -> None:
    file = two_streams(tmp_path)
    assert megasolve("new", str(tmp_path / "model.yaml"), "--from", file, "--cut", "layers").exit_code == 0
    text = (tmp_path / "model.yaml").read_text()
    assert "times: 8, groups: [layer]" in text
    assert "  order: launch\n" in text
    result = megasolve("headroom", file, "--cut", "layers")
    assert result.exit_code == 0, result.stderr


def test_a_profile_that_cannot_be_cut_finely_is_cut_as_finely_as_it_can_be(tmp_path: Path) -> None:
    file = two_streams(tmp_path, is_called=False)
    refused = megasolve("new", str(tmp_path / "model.yaml"), "--from", file, "--cut", "layers", "--steps", "whole")
    assert refused.exit_code == 2
    assert "'copy' of other streams start at another place in each" in refused.stderr
    result = megasolve("headroom", file, "--steps", "whole")
    assert result.exit_code == 0, result.stderr
    assert "NOTE: cut into phases: kernels of several streams ran beside each other in finer parts" in result.stderr


def test_a_cut_and_groups_do_not_go_together_and_a_spec_says_its_groups_itself(tmp_path: Path) -> None:
    source = layered(tmp_path)
    assert megasolve("headroom", source, "--cut", "layers", "--group", "B").exit_code == 2
    refused = megasolve("headroom", str(tmp_path / "model.yaml"), "--cut", "layers")
    assert refused.exit_code == 2
    assert "--cut is only for a profile" in refused.stderr
