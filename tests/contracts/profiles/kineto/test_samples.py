from __future__ import annotations

import gzip
import json

import pytest

from megasolve.contracts.profiles import Execution, ProfileRefused, totals
from megasolve.contracts.profiles.kineto.trace import read_kineto
from megasolve.contracts.profiles.text.source import source
from tests.support.profiles.samples import sample

# Kernels; summed, busy and spanned nanoseconds, exactly; distinct names. Where the list beside the samples has other digits, it was
# computed in doubles, which cannot hold the nanoseconds of a time since 1970 (hta_ns_resolution: 19.6 us too much).
FIGURES = [
    ("gpu_only_mi210.json.gz", (562, 5_343_422, 5_343_422, 5_979_503, 45)),
    ("hf_qwen1.5-0.5b_h100.json.gz", (1_465, 45_432_698, 45_432_698, 49_652_832, 26)),
    ("hf_qwen1.5-0.5b_mi300.json.gz", (1_516, 43_062_042, 43_062_042, 47_085_800, 28)),
    ("hta_alexnet_a100.json.gz", (79, 10_692_000, 10_630_000, 12_840_244_000, 16)),
    ("hta_amd_mi250_rocm62.json.gz", (14, 110_881, 110_881, 8_594_445, 12)),
    ("hta_cudagraph_v100.json.gz", (9_876, 801_858_000, 621_446_000, 744_780_000, 131)),
    ("hta_ns_resolution_v100.json.gz", (4_350, 468_153_602, 468_153_602, 480_029_179, 77)),
    ("hta_old_2022_inference_kernelcat.json.gz", (4, 30_000, 30_000, 1_629_000, 4)),
    ("hta_rank0_sampled_a100.json.gz", (1_154, 606_519_000, 547_303_000, 1_222_818_000, 194)),
    ("hta_rank1_sampled_a100.json.gz", (1_104, 651_026_000, 575_496_000, 1_231_182_000, 183)),
    ("hta_triton_a100.json.gz", (1, 1_760, 1_760, 1_760, 1)),
    ("kineto_2026_occupancy_graphid.json", (1, 20, 20, 20, 1)),
    ("sglang_qwen3-8b_decode_mi300.json.gz", (555, 9_765_437, 9_759_749, 473_741_290, 27)),
    ("torch_compile_triton_mi300.json.gz", (12, 12_549_021, 12_549_021, 12_549_032, 8)),
    ("vllm_decode_fullgraph_capture_mi300.json.gz", (7, 19_633, 19_633, 57_562_939, 3)),
    ("vllm_decode_fullgraph_mi300.json.gz", (425, 10_674_517, 10_674_517, 10_699_981, 24)),
    ("vllm_prefilldecode_piecewise_mi300.json.gz", (413, 156_008_506, 156_008_394, 156_353_058, 22)),
    ("xdit_sd3.5_mi300.json.gz", (8_042, 712_014_250, 712_014_023, 1_170_843_449, 126)),
]

REFUSED = [
    ("kineto", "hta_no_gpu_rank.json.gz", "of the CPU alone"),
    ("kineto", "hta_cupti_profiler_range_a100.json.gz", "of the CUPTI range profiler"),
    ("kineto", "hta_mtia_inference.json.gz", "of an MTIA accelerator"),
    ("derived", "truncated_gzip.json.gz", "is truncated gzip: it breaks off after 259,740 unzipped bytes"),
    ("derived", "truncated_text.json", "is truncated: it ends after 298,986 bytes of text"),
    ("derived", "unescaped_quotes.json", "is malformed JSON at byte 4,213: expecting ',' delimiter"),
    ("derived", "two_ranks_interleaved_broken.json", "is malformed JSON at byte 60,000"),
    ("derived", "two_ranks_interleaved_broken.json", "spliced from two traces"),
]


def imported(file: str) -> Execution:
    return read_kineto(source(sample("kineto", file)))


@pytest.mark.parametrize(("file", "figures"), FIGURES)
def test_a_sample_adds_up_to_its_figures(file: str, figures: tuple[int, int, int, int, int]) -> None:
    found = totals(imported(file))

    kernels, sum_ns, union_ns, span_ns, names = figures
    assert (found.kernels, found.distinct_names) == (kernels, names)
    assert (found.sum_ps, found.union_ps, found.span_ps) == (1000 * sum_ns, 1000 * union_ns, 1000 * span_ns)


@pytest.mark.parametrize(("folder", "file", "reason"), REFUSED)
def test_a_sample_that_cannot_be_used_is_refused_with_its_reason(folder: str, file: str, reason: str) -> None:
    with pytest.raises(ProfileRefused) as caught:
        read_kineto(source(sample(folder, file)))

    assert reason in caught.value.reason
    assert "\n" not in str(caught.value)


def test_the_kernels_of_a_full_graph_are_all_in_its_one_replay() -> None:
    kernels = imported("vllm_decode_fullgraph_mi300.json.gz").kernels

    replayed = [kernel for kernel in kernels if kernel.graph is not None]
    assert len(replayed) == 421
    assert len({kernel.correlation for kernel in replayed}) == 1
    assert {kernel.shape.grid for kernel in replayed} == {None}
    assert len({kernel.ranges for kernel in kernels}) == 1, "the step that launched the graph"


def test_twelve_replays_of_2022_are_known_by_their_launch_calls_alone() -> None:
    kernels = imported("hta_cudagraph_v100.json.gz").kernels

    replayed = [kernel for kernel in kernels if kernel.graph is not None]
    assert len(replayed) == 4464
    assert len({kernel.correlation for kernel in replayed}) == 12
    assert all(kernel.shape.grid and kernel.shape.block and kernel.shape.registers for kernel in replayed)


def test_a_capture_has_one_window_and_no_launch_counts_as_lost() -> None:
    execution = imported("vllm_decode_fullgraph_capture_mi300.json.gz")

    assert len(execution.captures) == 1
    assert not any("no kernel in the file" in note for note in execution.notes)


def test_device_versions_and_step_of_the_h100_sample_are_known() -> None:
    execution = imported("hf_qwen1.5-0.5b_h100.json.gz")

    (device,) = execution.devices
    assert (device.name, device.sms, device.compute_capability) == ("NVIDIA H100 80GB HBM3", 132, "9.0")
    assert execution.versions["CUDA driver"] == "12.9"
    assert sum(bool(kernel.ranges) for kernel in execution.kernels) == 1465 - 436
    assert {kernel.ranges for kernel in execution.kernels} == {(), execution.annotations}


def test_no_host_user_or_path_of_a_sample_is_kept() -> None:
    file = sample("kineto", "hta_ns_resolution_v100.json.gz")
    head = json.loads(gzip.decompress(file.read_bytes()))
    private = {head[key] for key in ("host_name", "username", "traceName", "mast_job_name")}

    whole = repr(read_kineto(source(file)))

    assert not [word for word in private if word in whole]
