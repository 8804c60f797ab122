"""What trtexec exported for real engines: the figures of each, taken from the files by hand."""

from __future__ import annotations

from statistics import median_low

import pytest

from megasolve.contracts.profiles import Granularity, ProfileRefused
from megasolve.contracts.profiles.reading import read_profile
from tests.support.profiles.samples import sample

# Layers, summed mean time in picoseconds, layers without time.
PROFILES = {
    "resnet50_a100_fp16": (36, 1_016_832_000, 11),
    "resnet50_a100_fp32": (32, 2_123_776_000, 8),
    "tfresnet_rtx3090_fp16": (86, 4_272_736_000, 25),
    "tfresnet_rtx3090_fp32": (103, 12_399_744_000, 31),
}
# Runs, median compute time in tenths of a microsecond.
TIMES = {"resnet50_a100_fp16": (3698, 8622), "tfresnet_rtx3090_fp16": (795, 40_222), "tfresnet_rtx3090_fp32": (263, 121_682)}


@pytest.mark.parametrize("engine", PROFILES)
def test_a_profile_has_the_layers_of_its_engine_and_their_times(engine: str) -> None:
    execution = read_profile(sample("tensorrt", f"{engine}.profile.json"))
    means = [summary.mean_ps or 0 for summary in execution.summaries]
    assert (len(means), sum(means), means.count(0)) == PROFILES[engine]
    assert len({shape.name for shape in execution.shapes()}) == len(means)


@pytest.mark.parametrize("engine", PROFILES)
def test_layer_information_has_the_same_layers_without_times(engine: str) -> None:
    execution = read_profile(sample("tensorrt", f"{engine}.graph.json"))
    assert execution.granularity is Granularity.LAYER
    assert len(execution.kernels) == PROFILES[engine][0]
    assert all(kernel.duration_ps is None for kernel in execution.kernels)


@pytest.mark.parametrize("engine", TIMES)
def test_times_are_of_every_run(engine: str) -> None:
    runs_ps = read_profile(sample("tensorrt", f"{engine}.timing.json")).iterations_ps
    runs, tenths_us = TIMES[engine]
    assert len(runs_ps) == runs
    assert round(median_low(runs_ps) / 100_000) == tenths_us


@pytest.mark.parametrize("kind", ["build", "profile"])
@pytest.mark.parametrize("engine", PROFILES)
def test_metadata_beside_a_profile_is_refused(engine: str, kind: str) -> None:
    with pytest.raises(ProfileRefused, match="is a metadata file of TensorRT Engine Explorer"):
        read_profile(sample("tensorrt", f"{engine}.{kind}.metadata.json"))
