from __future__ import annotations

from dataclasses import replace

import pytest

from megasolve.contracts.observe.observation import AttributedBy, GroupRule, StepsBy
from megasolve.contracts.observe.observe import observe
from megasolve.contracts.profiles import Format, KernelShape, ProfileRefused, Summary
from tests.support.profiles.executions import US, profiled, shape, summed

_ALL = AttributedBy((GroupRule("B"),))


def total(name: str, instances: int, total_us: int, median_us: int | None = None) -> Summary:
    """Return launches in sum, on row *instances*."""
    return Summary(KernelShape(name), instances, total_us * US, instances, median_ps=None if median_us is None else median_us * US)


def test_a_kernel_takes_the_summed_time_of_its_instances() -> None:
    found = observe([summed(Format.NSYS_KERN_SUM, total("gemv", 100, 500, 4), total("norm", 10, 20, 2))], _ALL)
    assert [(one.shape.name, one.launches, one.samples_ps, one.gap_samples_ps) for one in found.kernels] == [
        ("gemv", 100, (500 * US,), ()),
        ("norm", 10, (20 * US,), ()),
    ]
    assert (found.steps, found.span_samples_ps) == (0, ())


def test_what_a_sum_does_not_tell_is_said() -> None:
    found = observe([summed(Format.NSYS_KERN_SUM, total("gemv", 100, 500, 4))], _ALL)
    assert found.notes == (
        "nsys cuda_gpu_kern_sum CSV: times in sum only, so idle time, steps and warm-up are unknown",
        "kernels take 500.000 us in sum, slow launches included; at their medians 400.000 us",
    )


def test_without_a_median_the_mean_stands_for_a_layer() -> None:
    assert observe([summed(Format.TENSORRT_PROFILE, total("a", 3, 10))], _ALL).kernels[0].samples_ps == (3333333,)


def test_pitfall_24_the_instances_of_a_layer_are_iterations_of_one_launch() -> None:
    layers = summed(Format.TENSORRT_PROFILE, total("conv", 50, 500, 9), total("noop", 50, 0, 0))
    found = observe([layers], _ALL)
    assert [(one.shape.name, one.launches, one.samples_ps) for one in found.kernels] == [("conv", 1, (9 * US,))]
    assert found.notes[-1] == "medians of single layers add up to 9.000 us, all measured ones to 10.000 us"


def test_pitfall_24_a_layer_of_no_group_counts_once_too() -> None:
    layers = summed(Format.TENSORRT_PROFILE, total("conv", 50, 500, 9), replace(total("fc", 50, 100, 2), mean_ps=2 * US))
    (lost,) = observe([layers], AttributedBy((GroupRule("C", names=("conv*",)),))).unattributed
    assert (lost.shape.name, lost.launches, lost.total_ps) == ("fc", 1, 2 * US)


def test_pitfall_24_the_times_of_whole_runs_are_the_span() -> None:
    layers = summed(Format.TENSORRT_PROFILE, total("conv", 50, 500, 9))
    runs = summed(Format.TENSORRT_TIMES, iterations_ps=(8 * US, 7 * US))
    assert observe([layers, runs], _ALL).span_samples_ps == (8 * US, 7 * US)


def test_the_times_of_whole_runs_alone_tell_nothing_of_kernels() -> None:
    with pytest.raises(ProfileRefused, match="TensorRT times: has no run times of kernels or layers"):
        observe([summed(Format.TENSORRT_TIMES, iterations_ps=(1,))], _ALL)


def test_names_attribute_and_the_rest_is_listed_by_time() -> None:
    of = summed(Format.NSYS_KERN_SUM, total("copy", 1, 1, 1), total("conv", 2, 4, 2), total("sort", 1, 9, 9))
    found = observe([of], AttributedBy((GroupRule("C", names=("conv*",)),)))
    assert [one.shape.name for one in found.kernels] == ["conv"]
    assert [one.shape.name for one in found.unattributed] == ["sort", "copy"]


def test_a_sum_joins_with_ncu_by_name() -> None:
    of = summed(Format.NSYS_KERN_SUM, total("ns::gemv<(int)7>", 100, 500, 4))
    found = observe([of, profiled((shape("gemv<7>", 224, registers=80), 1000))], _ALL)
    assert (found.kernels[0].hbm_bytes, found.kernels[0].shape.registers) == (100_000, 80)


def test_a_kernel_that_never_took_time_is_refused() -> None:
    with pytest.raises(ProfileRefused, match="row 7: 'gemv' has no positive duration in 7 instances"):
        observe([summed(Format.NSYS_KERN_SUM, total("a", 1, 1), total("gemv", 7, 0))], _ALL)


@pytest.mark.parametrize(
    ("attribution", "message"),
    [
        (AttributedBy((GroupRule("B"),), StepsBy(period="auto")), "gives times only in sum, so steps cannot be found in it"),
        (AttributedBy((GroupRule("B", ranges=("decode*",)),)), "has no annotations for group B"),
        (AttributedBy((GroupRule("B"),), device=1), "does not say on which GPU its kernels ran, so those of GPU 1 are unknown"),
    ],
)
def test_what_needs_a_timeline_is_refused(attribution: AttributedBy, message: str) -> None:
    with pytest.raises(ProfileRefused, match=message):
        observe([summed(Format.NSYS_KERN_SUM, total("a", 1, 1))], attribution)


def test_of_several_steps_a_kernel_takes_its_part_and_what_is_rare_is_in_none() -> None:
    sums = summed(Format.NSYS_KERN_SUM, total("gemv", 300, 600, 2), total("norm", 100, 50, 1), total("set_up", 4, 8, 2))
    found = observe([sums], AttributedBy((GroupRule("B"),), StepsBy(count=100)))
    assert [(one.shape.name, one.launches, one.samples_ps) for one in found.kernels] == [
        ("gemv", 3, (6 * US,)),
        ("norm", 1, (US // 2,)),
    ]
    assert [one.because for one in found.unattributed] == ["launched less often than in every second of 100 steps"]
    assert found.steps_by == StepsBy(count=100)
