"""The structure of a trace as groups: layers as repeats, at the granularity that was asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts import Study, check_spec
from megasolve.contracts.observe.observation import AttributedBy, GroupRule
from megasolve.contracts.observe.observe import observe
from megasolve.contracts.profiles import Execution, Format, KernelShape, ProfileRefused, Summary
from megasolve.contracts.scaffold import Cut, Scaffold, Wishes, scaffold, structured
from tests.support.planning.device_names import H100
from tests.support.profiles.executions import execution, in_a_row, summed

USUAL = AttributedBy((GroupRule("step"),))
LAYER = [("norm", 2), ("gemm", 10), ("attention", 20), ("gemm", 12), ("add", 1)]
MODEL = execution(in_a_row(("embed", 5), *LAYER * 6, ("norm", 2), ("head", 30), gap_us=1), devices=(H100,))


def made(of: Execution, cut: Cut) -> Scaffold:
    """Return the scaffold of *of*, cut as finely as *cut* says."""
    found = structured((of,), USUAL, cut)
    wishes = Wishes("model", ".", "model", found.roles, repeats=found.repeats, steps=found.steps)
    return scaffold(observe((of,), found.attribution), (of,), found.attribution, wishes)


def study_of(folder: Path, of: Scaffold) -> Study:
    (folder / "model/contracts").mkdir(parents=True)
    for name, text in of.contracts.items():
        (folder / "model/contracts" / name).write_text(text)
    (folder / "model/records.yaml").write_text(of.records)
    (folder / "model.yaml").write_text(of.spec)
    study, findings = check_spec(folder / "model.yaml")
    assert findings == ()
    return study


def test_layers_are_one_group_that_repeats(tmp_path: Path) -> None:
    spec = study_of(tmp_path, made(MODEL, Cut.LAYERS)).spec.value
    assert [group.name for group in spec.groups] == ["head", "layer", "tail"]
    (block,) = spec.repeats
    assert (block.times, block.groups) == (6, ("layer",))


def test_each_kernel_of_a_layer_is_a_group_with_its_own_time(tmp_path: Path) -> None:
    study = study_of(tmp_path, made(MODEL, Cut.KERNELS))
    layer = study.spec.value.repeats[0].groups
    assert layer == ("layer.norm", "layer.gemm", "layer.attention", "layer.gemm_2", "layer.add")
    times = {record.group: record.time_ps for records in study.records for record in records.value.records}
    assert [times[group] // 10**6 for group in layer] == [2, 10, 20, 12, 1]


@pytest.mark.parametrize("cut", Cut)
def test_every_cut_of_equal_layers_adds_up_to_the_step(cut: Cut) -> None:
    of = made(MODEL, cut)
    assert of.step_ps == of.span_ps


def test_a_repeat_counts_with_the_lower_median_and_the_rest_is_said(tmp_path: Path) -> None:
    slow = [*LAYER[:2], ("attention", 50), *LAYER[3:]]
    of = made(execution(in_a_row(("embed", 5), *slow, *LAYER * 5, ("head", 30), gap_us=1), devices=(H100,)), Cut.LAYERS)
    assert of.span_ps is not None
    assert of.span_ps - of.step_ps == 30 * 10**6
    (outside,) = study_of(tmp_path, of).spec.value.outside
    assert (outside.time_ps, outside.what) == (30 * 10**6, "what single repeats of layer took beyond the usual one")


def test_a_step_without_repeats_is_cut_into_its_kernels_all_the_same(tmp_path: Path) -> None:
    of = made(execution(in_a_row(("embed", 5), ("gemm", 9), ("head", 30), gap_us=1), devices=(H100,)), Cut.KERNELS)
    assert [group.name for group in study_of(tmp_path, of).spec.value.groups] == ["step.embed", "step.gemm", "step.head"]


def test_sums_have_no_structure() -> None:
    sums = summed(Format.NSYS_KERN_SUM, Summary(KernelShape("gemm"), 3, 30, 1))
    with pytest.raises(ProfileRefused, match="no kernels in their order"):
        structured((sums,), USUAL, Cut.LAYERS)
