"""A study out of a profile: its files pass their check, add up to what ran, and say what nobody stated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megasolve.contracts import Contract, Record, Study, check_spec
from megasolve.contracts.observe.observation import AttributedBy, GroupRule, ObservedKernel, StepsBy
from megasolve.contracts.observe.observe import observe
from megasolve.contracts.profiles import Execution, GraphNode, KernelShape, ObservedDevice, ProfileRefused
from megasolve.contracts.scaffold.contracts import gaps_per_launch_ps, launch_kind, run_contracts
from megasolve.contracts.scaffold.runs import KernelRun
from megasolve.contracts.scaffold.scaffold import Scaffold, Wishes, scaffold
from megasolve.solver import solve
from tests.support.planning.device_names import H100
from tests.support.profiles.executions import US, execution, in_a_row, kernel, profiled, shape, span

STEP = AttributedBy((GroupRule("step"),))
TWO_KERNELS = [("gemm", 10), ("softmax", 2), ("gemm", 12)]


def ran(*launches: tuple[str | KernelShape, int], gap_us: int = 1, **said: Any) -> Execution:
    """Return a timeline of *launches* in a row on an H100."""
    return execution(in_a_row(*launches, gap_us=gap_us), devices=(H100,), **said)


def made(of: Execution, attribution: AttributedBy = STEP, *others: Execution, **wishes: Any) -> Scaffold:
    """Return the scaffold of a profile."""
    wished = Wishes(**{"name": "model", "folder": ".", "beside": "model", **wishes})
    return scaffold(observe((of, *others), attribution), (of, *others), attribution, wished)


def study_of(folder: Path, scaffolded: Scaffold) -> Study:
    """Write the files of a scaffold and return the study that they are, without a finding."""
    (folder / "model/contracts").mkdir(parents=True)
    if scaffolded.device is not None:
        (folder / "model/device.yaml").write_text(scaffolded.device)
    for name, text in scaffolded.contracts.items():
        (folder / "model/contracts" / name).write_text(text)
    (folder / "model/records.yaml").write_text(scaffolded.records)
    (folder / "model.yaml").write_text(scaffolded.spec)
    study, findings = check_spec(folder / "model.yaml")
    assert findings == ()
    return study


def contracts_of(study: Study) -> dict[str, Contract]:
    return {contract.value.entry: contract.value for contract in study.contracts}


def records_of(study: Study) -> dict[str, Record]:
    return {record.entries[0]: record for records in study.records for record in records.value.records}


def test_each_kernel_is_a_contract_with_its_launches_in_order(tmp_path: Path) -> None:
    contracts = contracts_of(study_of(tmp_path, made(ran(*TWO_KERNELS))))
    assert {entry: (one.order, one.kernels, one.grid_ctas) for entry, one in contracts.items()} == {
        "gemm": (0, 2, 132),
        "softmax": (1, 1, 132),
    }
    assert {(one.backend, one.members, one.implementation) for one in contracts.values()} == {("conventional", ("step",), "profiled")}


def test_times_and_gaps_of_the_contracts_add_up_to_the_span(tmp_path: Path) -> None:
    scaffolded = made(ran(*TWO_KERNELS, gap_us=3))
    study = study_of(tmp_path, scaffolded)
    contracts, records = contracts_of(study), records_of(study)
    gaps = sum((one.dispatch.gap_ps or 0) * one.kernels for one in contracts.values())
    assert sum(record.time_ps for record in records.values()) + gaps == 30 * US
    assert (scaffolded.step_ps, scaffolded.span_ps) == (30 * US, 30 * US)


def test_nothing_but_the_gap_is_the_cost_of_a_launch(tmp_path: Path) -> None:
    dispatch = contracts_of(study_of(tmp_path, made(ran(*TWO_KERNELS))))["softmax"].dispatch
    assert (dispatch.kind, dispatch.host_ps, dispatch.exposed_ps, dispatch.gap_ps) == ("stream", 0, 0, 1 * US)


def test_figures_of_the_launch_are_those_of_the_profile(tmp_path: Path) -> None:
    known = KernelShape("gemm", (8, 4, 1), (32, 8, 1), 96, shared_bytes=49152, cluster_ctas=2)
    contract = contracts_of(study_of(tmp_path, made(ran((known, 10)))))["gemm"]
    launch = contract.launch
    assert (contract.grid_ctas, launch.threads, launch.registers, launch.shared_bytes, launch.cluster_ctas) == (32, 256, 96, 49152, 2)
    assert launch.unverified is None
    assert contract.notes == "gemm; grid 8x4x1; block 32x8x1"


def test_what_the_profile_does_not_say_is_left_out_with_the_reason(tmp_path: Path) -> None:
    contract = contracts_of(study_of(tmp_path, made(ran((KernelShape("gemm"), 10)))))["gemm"]
    assert contract.launch.unverified == "the profile does not say: threads, registers, shared memory"
    assert contract.context == {"launch": {}}
    assert contract.grid_ctas is None


def test_records_are_profiled_name_the_file_alone_and_carry_its_hash(tmp_path: Path) -> None:
    of = replace(ran(*TWO_KERNELS), file="/home/somebody/traces/run.sqlite", versions={"Nsight Systems": "2026.2"})
    record = records_of(study_of(tmp_path, made(of)))["softmax"]
    assert (record.provenance.kind, record.provenance.source, record.provenance.tool) == ("profiled", "run.sqlite", "nsys sqlite")
    assert (record.provenance.profile_sha256, record.provenance.device_sms) == ("0" * 64, 132)
    assert record.provenance.versions == {"Nsight Systems": "2026.2"}


def test_no_folder_of_a_profile_is_in_any_file() -> None:
    scaffolded = made(replace(ran(*TWO_KERNELS), file="/home/somebody/traces/run.sqlite"))
    assert not any("somebody" in text for text in (scaffolded.spec, scaffolded.records, *scaffolded.contracts.values()))


def test_a_record_has_a_sample_for_each_steady_step(tmp_path: Path) -> None:
    steps = [in_a_row(("gemm", 10 + n), start_us=100 * n, ranges=[span(f"step {n}", 100 * n, 100 * n + 90)]) for n in range(3)]
    of = execution([launch for step in steps for launch in step], devices=(H100,))
    study = study_of(tmp_path, made(of, replace(STEP, steps=StepsBy(marks="step *"))))
    assert records_of(study)["gemm"].samples_ps == (10 * US, 11 * US, 12 * US)


def test_the_spec_repeats_how_kernels_were_told_apart(tmp_path: Path) -> None:
    kernels = [*in_a_row(("gemm", 5), ranges=[span("prefill", 0, 9)]), kernel("gemm", 20, 3)]
    attribution = AttributedBy((GroupRule("P", ranges=("pre*",)), GroupRule("D", names=("gemm",))), StepsBy(skip=0), device=0)
    study = study_of(tmp_path, made(execution(kernels, devices=(H100,)), attribution, roles={"P": "admission"}))
    declared = study.spec.value.attribution
    assert declared is not None
    assert (declared.steps, declared.gpu) == ("whole", 0)
    assert [(group.group, group.ranges, group.names) for group in declared.groups] == [("P", ("pre*",), ()), ("D", (), ("gemm",))]


def test_groups_come_in_the_order_of_their_roles(tmp_path: Path) -> None:
    kernels = [kernel("decode", 0, 5), kernel("prefill", 10, 5), kernel("vocode", 20, 5)]
    rules = AttributedBy(tuple(GroupRule(name, names=(name,)) for name in ("vocode", "decode", "prefill")))
    study = study_of(tmp_path, made(execution(kernels, devices=(H100,)), rules, roles={"prefill": "admission", "vocode": "consumer"}))
    assert [(group.name, group.role) for group in study.spec.value.groups] == [
        ("prefill", "admission"),
        ("decode", "producer"),
        ("vocode", "consumer"),
    ]
    assert study.spec.value.stream is not None


def test_an_admission_alone_is_what_publication_waits_for(tmp_path: Path) -> None:
    study = study_of(tmp_path, made(ran(*TWO_KERNELS), roles={"step": "admission"}))
    publication = study.spec.value.publication
    assert publication is not None
    assert (publication.group, publication.step) == ("step", None)


def test_a_consumer_without_a_producer_is_refused() -> None:
    with pytest.raises(ProfileRefused, match="a consumer group needs a producer group"):
        made(ran(*TWO_KERNELS), roles={"step": "consumer"})


def test_a_group_without_kernels_is_refused_with_its_patterns() -> None:
    with pytest.raises(ProfileRefused, match=r"no kernel belongs to group 'P' \(names:prefill\*\)"):
        made(ran(*TWO_KERNELS), AttributedBy((GroupRule("P", names=("prefill*",)), GroupRule("D"))))


def test_instances_of_ranges_become_calls_of_the_group(tmp_path: Path) -> None:
    calls = [in_a_row(("gemm", 5), start_us=20 * n, ranges=[span("local", 20 * n, 20 * n + 9)]) for n in range(4)]
    of = execution([launch for call in calls for launch in call], devices=(H100,))
    study = study_of(tmp_path, made(of, AttributedBy((GroupRule("L", ranges=("local",)),))))
    assert study.spec.value.groups[0].calls == 4
    assert records_of(study)["gemm"].time_ps == 5 * US


def two_phases() -> Execution:
    """Return a prefill of 5 microseconds and four marked steps of 3, one every 20."""
    prefill = in_a_row(("gemm", 5), ranges=[span("prefill", 0, 9)])
    steps = [in_a_row(("gemv", 3), start_us=20 * n, ranges=[span(f"step {n}", 20 * n, 20 * n + 9)]) for n in range(1, 5)]
    return execution([*prefill, *(launch for step in steps for launch in step)], devices=(H100,))


def test_a_group_outside_of_the_steps_is_no_part_of_what_one_step_adds_up_to() -> None:
    rules = (GroupRule("P", ranges=("prefill",)), GroupRule("D", ranges=("step *",)))
    apart = made(two_phases(), AttributedBy(rules, StepsBy(marks="step *")), roles={"P": "admission"})
    assert (apart.step_ps, apart.span_ps, apart.outside) == (20 * US, 20 * US, ("P",))


def test_calls_that_come_from_taking_the_whole_profile_as_one_step_are_marked_as_assumed() -> None:
    rules = (GroupRule("P", ranges=("prefill",)), GroupRule("D", ranges=("step *",)))
    whole = made(two_phases(), AttributedBy(rules), roles={"P": "admission"})
    assert whole.outside == ()
    assert "- {name: P, role: admission}\n" in whole.spec
    assert "- {name: D, role: producer, calls: 4}  # assumed: all that the profile has are in one step, as it is one\n" in whole.spec


def test_what_no_profile_says_is_marked_as_assumed() -> None:
    scaffolded = made(ran(("gemm_bf16", 9), ("other", 1)))
    assert (
        "precision: bf16  # assumed: kernels with 90 % of the time have bf16 in their names; --precision NAME states it" in scaffolded.spec
    )
    assert "batches: [1]  # assumed: no profile says how many requests ran at once; --batch N states it" in scaffolded.spec
    assert [sentence.partition(":")[0] for sentence in scaffolded.assumed] == ["assumed precision", "assumed batches"]


def test_a_precision_that_no_name_says_is_unstated() -> None:
    assert "precision: unstated  # assumed: no kernel name says it" in made(ran(*TWO_KERNELS)).spec


def test_a_precision_that_names_of_a_minority_of_the_time_say_is_unstated() -> None:
    reason = "only kernels with 9 % of the time have fp16 in their names, too few to tell; --precision NAME states it"
    assert f"precision: unstated  # assumed: {reason}" in made(ran(("gemm_f16", 9), ("attn", 91))).spec
    rare = made(ran(("gemm_f16", 1), ("attn", 999))).spec
    assert "only kernels with less than 1 % of the time have fp16 in their names" in rare


def test_what_was_stated_is_not_marked() -> None:
    scaffolded = made(ran(*TWO_KERNELS), batch=16, precision="fp8")
    assert "precision: fp8\nbatches: [16]\n" in scaffolded.spec
    assert scaffolded.assumed == ()


def test_memory_traffic_comes_from_the_file_beside_the_timeline(tmp_path: Path) -> None:
    gemm = shape("gemm", registers=64, shared_bytes=0)
    study = study_of(tmp_path, made(ran((gemm, 10), (gemm, 10)), STEP, profiled((gemm, 5_000))))
    record = records_of(study)["gemm"]
    assert record.hbm_bytes == 10_000
    assert record.provenance.source == "run.sqlite"
    assert record.provenance.versions == {"beside kernels.csv": f"ncu details CSV, sha256 {'1' * 64}"}


def test_a_gpu_that_no_device_file_knows_comes_with_a_file_of_what_the_profile_says(tmp_path: Path) -> None:
    made_of = made(replace(ran(*TWO_KERNELS), devices=(ObservedDevice(0, "AMD Instinct MI100", 120),)))
    assert made_of.device is not None
    assert study_of(tmp_path, made_of).device.value.sms == 120


def test_a_gpu_of_which_nothing_but_a_name_is_known_is_refused_with_the_way_out() -> None:
    of = replace(ran(*TWO_KERNELS), devices=(ObservedDevice(0, "AMD Instinct MI100"),))
    with pytest.raises(
        ProfileRefused, match=r"ran on 'AMD Instinct MI100', which no device file knows; say .*--device NAME or --device FILE"
    ):
        made(of)


def test_another_number_of_sms_than_the_device_has_is_refused() -> None:
    of = replace(ran(*TWO_KERNELS), devices=(replace(H100, sms=66),))
    with pytest.raises(ProfileRefused, match="ran on a GPU with 66 SMs visible, device 'h100_sxm' has 132 usable ones"):
        made(of)


def test_a_device_that_was_asked_for_is_an_assumption_where_the_profile_names_another() -> None:
    of = replace(ran(*TWO_KERNELS), devices=(ObservedDevice(0, "NVIDIA H100 PCIe", None),))
    scaffolded = made(of, device="h100_sxm", batch=1, precision="bf16")
    assert scaffolded.assumed == ("assumed device: as asked for; the profile names its GPU 'NVIDIA H100 PCIe'",)


def test_the_only_gpu_of_a_file_is_it_whatever_its_number() -> None:
    of = replace(ran(*TWO_KERNELS), devices=(replace(H100, number=5),))
    assert "device: h100_sxm\n" in made(of).spec


def test_kernels_of_graphs_are_contracts_of_a_graph() -> None:
    launches = in_a_row(*TWO_KERNELS)
    replayed = [launch._replace(graph=GraphNode(1)) for launch in launches]
    assert launch_kind([execution(replayed)]) == "graph"
    assert launch_kind([execution([*replayed[:2], launches[2]])]) == "graph"
    assert launch_kind([execution([replayed[0], *launches[1:]])]) == "stream"


def test_a_launch_that_ran_wholly_within_another_of_its_group_keeps_its_time_and_has_a_negative_gap(tmp_path: Path) -> None:
    of = execution([kernel("long", 0, 10), kernel("hidden", 2, 3, stream=8)], devices=(H100,))
    scaffolded = made(of)
    study = study_of(tmp_path, scaffolded)
    assert {name: one.time_ps for name, one in records_of(study).items()} == {"long": 10 * US, "hidden": 3 * US}
    assert {name: one.dispatch.gap_ps for name, one in contracts_of(study).items()} == {"long": 0, "hidden": -3 * US}
    assert (scaffolded.step_ps, scaffolded.span_ps) == (10 * US, 10 * US)
    (row,) = solve(study).results[0].ranking
    assert row.score_ps == 10 * US


def test_a_group_that_ran_only_beside_another_is_named_and_has_no_record(tmp_path: Path) -> None:
    decode = [kernel("decode", 20 * n, 10, stream=13) for n in range(8)]
    of = execution(sorted([*decode, kernel("prefill", 25, 70, stream=14)], key=lambda one: one.start_ps or 0), devices=(H100,))
    rules = (GroupRule("P", names=("prefill",)), GroupRule("D", names=("decode",)))
    scaffolded = made(of, AttributedBy(rules), roles={"P": "admission"})
    study = study_of(tmp_path, scaffolded)
    assert list(records_of(study)) == ["D.decode"]
    assert records_of(study)["D.decode"].time_ps == 8 * 10 * US
    (outside,) = study.spec.value.outside
    assert (outside.what, outside.time_ps) == ("group P, which ran only beside D", 70 * US)


def test_a_profile_in_which_every_group_ran_beside_another_is_refused() -> None:
    of = execution([kernel("decode", 0, 50, stream=13), kernel("prefill", 10, 90, stream=14)], devices=(H100,))
    rules = (GroupRule("P", names=("prefill",)), GroupRule("D", names=("decode",)))
    with pytest.raises(ProfileRefused, match="group P ran only beside D; group D ran only beside P: no time in it is standalone"):
        made(of, AttributedBy(rules), roles={"P": "admission"})


@pytest.mark.parametrize(
    "name", ['a "quoted" {name}: #1', "tab\tline\nend \u2028 \x1b[31m", "ünï ☃ \U0001f600", "- [x]", "yes", "~", "1e9"]
)
def test_any_name_of_a_kernel_survives_in_the_files(tmp_path: Path, name: str) -> None:
    (contract,) = contracts_of(study_of(tmp_path, made(ran((name, 10))))).values()
    assert contract.observed_kernels == (name,)
    assert contract.notes == f"{name}; grid 132x1x1; block 128x1x1"


def observed(launches: int, gap_ps: int) -> ObservedKernel:
    return ObservedKernel("step", shape("k"), launches, (1,), (gap_ps,))


@given(st.lists(st.tuples(st.integers(1, 500), st.integers(0, 10**9)), min_size=1, max_size=12))
def test_rounding_gaps_over_launches_loses_less_than_half_a_picosecond_for_each_launch_of_one_kernel(gaps: list[tuple[int, int]]) -> None:
    kernels = [KernelRun((observed(launches, gap),)) for launches, gap in gaps]
    rounded = gaps_per_launch_ps(kernels)
    lost = sum(gap for _, gap in gaps) - sum(gap * launches for gap, (launches, _) in zip(rounded, gaps, strict=True))
    assert all(gap >= 0 for gap in rounded)
    assert abs(lost) <= max(launches for launches, _ in gaps)


def test_one_kernel_that_is_launched_once_takes_up_all_that_rounding_leaves() -> None:
    kernels = [KernelRun((observed(*gap),)) for gap in ((7, 1_000_000), (3, 1_000_000), (1, 5_000))]
    rounded = gaps_per_launch_ps(kernels)
    assert sum(gap * one.launches for gap, one in zip(rounded, kernels, strict=True)) == 2_005_000


def test_contracts_are_in_the_order_of_their_kernels_within_each_group() -> None:
    kernels = (*(replace(observed(1, 0), group=group) for group in ("P", "P", "D")),)
    contracts = run_contracts([KernelRun((one,)) for one in kernels], "stream")
    assert [(one.entry, one.members, one.order) for one in contracts] == [
        ("P.k_g132", ("P",), 0),
        ("P.k_g132_2", ("P",), 1),
        ("D.k", ("D",), 0),
    ]


def test_kernels_that_no_contract_could_tell_apart_are_one_contract(tmp_path: Path) -> None:
    wide, tall = KernelShape("gemm", (8, 2, 1), (128, 1, 1), 40), KernelShape("gemm", (2, 8, 1), (128, 1, 1), 40)
    study = study_of(tmp_path, made(ran((wide, 10), (tall, 20), (wide, 10))))
    contract = contracts_of(study)["gemm"]
    assert (contract.kernels, contract.grid_ctas, records_of(study)["gemm"].time_ps) == (3, 16, 40 * US)
    assert contract.notes == "gemm; grid 8x2x1; grid 2x8x1; block 128x1x1"


def test_a_grid_that_differs_from_step_to_step_is_not_declared(tmp_path: Path) -> None:
    steps = [
        in_a_row((shape("split", 8 + n % 2), 10), start_us=100 * n, ranges=[span(f"step {n}", 100 * n, 100 * n + 90)]) for n in range(5)
    ]
    of = execution([launch for step in steps for launch in step], devices=(H100,))
    contract = contracts_of(study_of(tmp_path, made(of, replace(STEP, steps=StepsBy(marks="step *")))))["split"]
    assert contract.grid_ctas is None
    assert contract.notes == "split; grid 8x1x1; block 128x1x1; other launches of it have other grids, so none is declared"


def test_registers_that_differ_between_warm_up_and_steps_are_not_verified(tmp_path: Path) -> None:
    kernels = [(shape("gemm", 8, registers=40 if n else 96), 10) for n in range(6)]
    steps = [in_a_row(one, start_us=100 * n, ranges=[span(f"step {n}", 100 * n, 100 * n + 90)]) for n, one in enumerate(kernels)]
    of = execution([launch for step in steps for launch in step], devices=(H100,))
    contract = contracts_of(study_of(tmp_path, made(of, replace(STEP, steps=StepsBy(marks="step *")))))["gemm"]
    assert contract.launch.registers is None
    assert contract.launch.unverified == "the profile does not say: shared memory; launches of the kernel differ in: registers"
