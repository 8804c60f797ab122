"""Profiles of real programs, from the file to what it says about one group that takes everything."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts.observe.observation import AttributedBy, GroupRule, Observation, StepsBy
from megasolve.contracts.observe.observe import observe
from megasolve.contracts.profiles import ProfileRefused
from megasolve.contracts.profiles.reading import read_profile
from tests.support.profiles.samples import sample

_ALL = (GroupRule("B"),)


def seen(*paths: Path, steps: StepsBy | None = None, device: int | None = None, rules: tuple[GroupRule, ...] = _ALL) -> Observation:
    """Return what files say."""
    return observe([read_profile(path) for path in paths], AttributedBy(rules, steps or StepsBy(), device))


@pytest.mark.parametrize(
    ("parts", "device", "service_ns", "span_ns"),
    [
        (("kineto", "hf_qwen1.5-0.5b_h100.json.gz"), None, 45_432_698, 49_652_832),
        (("kineto", "hta_cudagraph_v100.json.gz"), None, 621_446_000, 744_780_000),
        (("kineto", "sglang_qwen3-8b_decode_mi300.json.gz"), None, 9_759_749, 473_741_290),
        (("nsys_sqlite", "pipit_cloverleaf_a100_nsys2024.5_schema3.13.2.sqlite"), None, 294_404_540, 342_340_707),
        (("derived", "cloverleaf_cuda_gpu_trace.csv"), None, 294_404_540, 342_340_707),
    ],
)
def test_service_is_the_union_and_with_the_gaps_the_span(parts: tuple[str, ...], device: int | None, service_ns: int, span_ns: int) -> None:
    found = seen(sample(*parts), device=device)
    (group,) = found.groups
    assert group.samples_ps == (service_ns * 1000,)
    assert found.span_samples_ps == (group.samples_ps[0] + group.gap_samples_ps[0],)
    assert found.span_samples_ps[0] + found.outside_samples_ps[0] == span_ns * 1000


def test_training_steps_are_found_by_their_marks() -> None:
    found = seen(sample("kineto", "hta_cudagraph_v100.json.gz"), steps=StepsBy(marks="ProfilerStep#*"))
    assert found.steps == 6
    whole = map(sum, zip(found.span_samples_ps, found.outside_samples_ps, strict=True))
    assert [span_ps // 10**9 for span_ps in whole] == [124, 117, 114, 123, 116, 116]
    assert {one.because for one in found.outside} == {"it spans a copy", "it spans the start of a step"}


def test_training_steps_are_found_by_their_period_too() -> None:
    found = seen(sample("kineto", "hta_ns_resolution_v100.json.gz"), steps=StepsBy(period="auto"))
    assert (found.steps, found.notes[-1][:43]) == (5, "steps are 5 repetitions of 870 kernels, fro")


def test_one_of_two_devices_has_to_be_chosen() -> None:
    path = sample("nsys_sqlite", "nsysai_mfu_2gpu_before_nsys2026.2.sqlite")
    with pytest.raises(ProfileRefused, match="kernels ran on 2 devices"):
        seen(path)
    assert seen(path, device=0).steps == 1


def test_c56_a_graph_level_sample_is_refused() -> None:
    with pytest.raises(ProfileRefused, match=r"graph-level trace: 2 graph replays.*--cuda-graph-trace=node"):
        seen(sample("nsys_sqlite", "flameox_rtx3060_graphmode_nsys2025.5_schema3.24.0.sqlite"))


def test_pitfall_21_every_kernel_that_ncu_saw_is_found_in_the_sums_of_nsys() -> None:
    profiled = sorted(sample("ncu_csv", "dsocr_rtx5090").glob("*.metrics.csv"))
    found = seen(sample("nsys_csv", "dsocr_rtx5090_all-stage_cuda_gpu_kern_sum.csv"), *profiled)
    assert sum(kernel.hbm_bytes is not None for kernel in found.kernels) == len(profiled) == 20
    assert not [note for note in found.notes if "only in ncu" in note]
