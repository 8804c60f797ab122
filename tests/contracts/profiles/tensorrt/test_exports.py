"""What trtexec exports: layers with times, layers without, and times of whole runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from megasolve.contracts.profiles import Execution, Format, Granularity, ProfileRefused
from megasolve.contracts.profiles.tensorrt.exports import read_tensorrt_layers, read_tensorrt_profile, read_tensorrt_times
from megasolve.contracts.profiles.text.source import ProfileSource, source
from tests.support.profiles.reports import layer, trt_profile, written

Reader = Callable[[ProfileSource], Execution]

RUN = {"startEnqMs": 1.0, "endEnqMs": 1.1, "startComputeMs": 1.0, "endComputeMs": 1.873472, "computeMs": 0.873472, "latencyMs": 0.9}
RUN_OF_7 = {"startInMs": 1.0, "endInMs": 1.1, "startComputeMs": 1.1, "endComputeMs": 2.0, "inMs": 0.1, "computeMs": 0.9, "endToEndMs": 1.2}


def profile(folder: Path, text: str) -> Execution:
    return read_tensorrt_profile(source(written(folder, text)))


def reason(folder: Path, text: str, read: Reader = read_tensorrt_profile) -> str:
    with pytest.raises(ProfileRefused) as caught:
        read(source(written(folder, text)))
    assert "\n" not in str(caught.value)
    return caught.value.reason


def test_a_profile_gives_sums_over_the_iterations_that_its_first_entry_counts(tmp_path: Path) -> None:
    execution = profile(tmp_path, trt_profile([layer("conv", 5.5, 0.55, medianMs=0.549888), layer("pool", 1.25, 0.125)]))
    conv, pool = execution.summaries
    assert (execution.format, execution.granularity) == (Format.TENSORRT_PROFILE, Granularity.LAYER)
    assert (conv.shape.name, conv.instances, conv.total_ps, conv.mean_ps, conv.median_ps) == (
        "conv",
        10,
        5_500_000_000,
        550_000_000,
        549_888_000,
    )
    assert (pool.median_ps, pool.row) == (None, 2)
    assert not execution.is_timeline


def test_pitfall_24_a_layer_is_no_kernel_and_their_sum_no_latency(tmp_path: Path) -> None:
    notes = " ".join(profile(tmp_path, trt_profile([layer("conv")])).notes)
    assert "a layer is not a kernel" in notes
    assert "add up to more than a run takes" in notes


def test_pitfall_24_layers_without_time_are_kept_and_counted(tmp_path: Path) -> None:
    execution = profile(tmp_path, trt_profile([layer("conv"), layer("no-op", 0, 0)]))
    assert [summary.total_ps for summary in execution.summaries] == [5_500_000_000, 0]
    assert "1 layers take no time, as they launch nothing" in execution.notes


def test_pitfall_24_one_iteration_has_no_median(tmp_path: Path) -> None:
    assert any("its medians are single times" in note for note in profile(tmp_path, trt_profile([layer("conv")], count=1)).notes)


@pytest.mark.parametrize("word", ["nan", "-nan", "inf", "NaN"])
def test_a_percentage_of_nothing_is_no_reason_to_refuse(tmp_path: Path, word: str) -> None:
    text = trt_profile([layer("no-op", 0, 0)]).replace('"percentage": 1.0', f'"percentage" : {word}')
    assert profile(tmp_path, text).summaries[0].total_ps == 0


def test_names_that_were_not_escaped_are_refused_with_the_byte(tmp_path: Path) -> None:
    text = trt_profile([layer("conv"), layer("NAME")]).replace("NAME", 'é "quoted" name')
    offset = len(text[: text.index('quoted"')].encode())
    assert f"is no JSON at byte {offset} (line 1, column" in reason(tmp_path, text)
    assert "does not escape quotes and backslashes" in reason(tmp_path, text)


def test_a_profile_that_breaks_off_is_truncated(tmp_path: Path) -> None:
    assert "is truncated: the JSON breaks off on line 1" in reason(tmp_path, trt_profile([layer("conv")])[:-1])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", 'entry 0: is not {"count": iterations} with at least one iteration'),
        (trt_profile([layer("a")], count=0), 'entry 0: is not {"count": iterations} with at least one iteration'),
        (trt_profile([layer("a")], count="10"), 'entry 0: is not {"count": iterations} with at least one iteration'),
        (trt_profile([]), "has a count but no layers; export it again with --separateProfileRun"),
        (trt_profile([layer("a"), layer("", 1, 1)]), "entry 2: has no name"),
        (trt_profile([layer("a", -1, 1)]), "entry 1: timeMs is negative (-1)"),
        (trt_profile([layer("a", "5.5", 1)]), "entry 1: timeMs is no number"),
        (trt_profile([{"name": "a", "timeMs": 1}]), "entry 1: averageMs is missing"),
        (trt_profile([layer("a", float("nan"), 1)]), "entry 1: timeMs: 'NaN' is not a decimal number"),
        (f'[{{"count": 1{"0" * 5000}}}]', "has a number of thousands of digits, which no export of trtexec has"),
        ("[" * 100_000, "is nested too deeply for an export of trtexec"),
        ('{"a": 1}', "is no array, as trtexec writes them"),
        ('[{"count": 1}, 5]', "entry 1: is no object"),
    ],
)
def test_profiles_that_cannot_be_trusted_are_refused_with_the_entry(tmp_path: Path, text: str, expected: str) -> None:
    assert reason(tmp_path, text) == expected


@pytest.mark.parametrize(
    "described", [["conv", "pool"], [{"Name": "conv", "LayerType": "Conv"}, {"Name": "pool", "Inputs": [{"Name": "x"}]}]]
)
def test_layers_are_strings_or_objects_and_have_no_times(tmp_path: Path, described: list[object]) -> None:
    execution = read_tensorrt_layers(source(written(tmp_path, json.dumps({"Layers": described, "Bindings": ["input"]}))))
    assert [kernel.shape.name for kernel in execution.kernels] == ["conv", "pool"]
    assert [kernel.duration_ps for kernel in execution.kernels] == [None, None]
    assert execution.granularity is Granularity.LAYER


def test_layers_of_further_shape_profiles_are_counted(tmp_path: Path) -> None:
    text = json.dumps({"Layers": ["conv", "conv [profile 1]", "conv [profile 2]"]})
    execution = read_tensorrt_layers(source(written(tmp_path, text)))
    assert "2 of the layers belong to further shape profiles of the same engine" in execution.notes


@pytest.mark.parametrize("text", ['{"Layers": []}', '{"Bindings": []}', '{"Layers": {}}', "[]"])
def test_layer_information_without_layers_is_refused(tmp_path: Path, text: str) -> None:
    assert reason(tmp_path, text, read_tensorrt_layers) == "has no layers under Layers; export it again with --exportLayerInfo"


def test_a_layer_without_a_name_is_refused(tmp_path: Path) -> None:
    assert reason(tmp_path, '{"Layers": ["a", 5]}', read_tensorrt_layers) == "entry 1: is no layer: it has no name"


@pytest.mark.parametrize(("run", "compute_ps"), [(RUN, 873_472_000), (RUN_OF_7, 900_000_000)])
def test_times_of_every_generation_give_the_compute_time_of_each_run(tmp_path: Path, run: dict[str, float], compute_ps: int) -> None:
    execution = read_tensorrt_times(source(written(tmp_path, json.dumps([run, run]))))
    assert execution.iterations_ps == (compute_ps, compute_ps)
    assert execution.format is Format.TENSORRT_TIMES


def test_runs_without_a_compute_time_or_no_runs_are_refused(tmp_path: Path) -> None:
    assert reason(tmp_path, json.dumps([RUN, {"latencyMs": 1}]), read_tensorrt_times) == "entry 1: computeMs is missing"
    assert reason(tmp_path, "[]", read_tensorrt_times) == "has no runs; export it again with --exportTimes"
