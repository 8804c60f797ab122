"""The shipped specs: each loads without a finding and holds exactly the figures that its sources print."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from megasolve.contracts import Contract, Device, Record, Study, check_paths, load_spec, read_document
from megasolve.contracts.limits.partitions import pair_faults, partition_pairs

SPECS = Path(__file__).parents[1] / "specs"
NVIDIA = (
    *("a100", "b200", "b300", "gh200", "h100_nvl", "h100_sxm", "h20", "h200", "jetson_agx_orin", "l20", "l4", "l40s"),
    *("rtx_3090", "rtx_4090", "rtx_5070_ti_laptop", "rtx_5090", "rtx_a6000", "rtx_pro_6000"),
)
AMD = ("mi250x_gcd", "mi300x", "mi355x")
DEVICES = (*NVIDIA, *AMD)
SWEEPS = ("20_12", "10_20", "16_16", "8_30")
PLANS = (
    "nh_tts",
    "worked_example",
    "equal_partitions",
    "omni",
    "field_vocoder",
    "published/llama_1b_decode",
    "published/cohere_decode",
    *(f"published/tts_sm_sweep_{mix}" for mix in SWEEPS),
    *(f"published/{name}" for name in ("voice_megakernel", "voice_ladder", "e3_tts", "e3_ladder", "qwen_megakernel_tts", "cosyvoice")),
    *("published/vllm_qwen35", "published/jetson_qwen3_tts"),
)

# Some of their times are derived, or recorded on several devices; tests/benchmarks holds them.
PAIRS = tuple(f"published/hopper_pairs_{pair}" for pair in ("attention_gemm", "attention_experts", "experts_gemm"))
MIXED_PLANS = (
    *("qwen3_tts_h100", *PAIRS),
    *(f"published/{name}" for name in ("qwen_tts_turbo", "green_contexts_known", "launch_chain", "barriers_3090")),
)

# Their times are derived from operators, not recorded; tests/test_models.py holds them, and tests/benchmarks those of others.
MPK_PLANS = tuple(f"published/mpk_qwen35_bs{batch}" for batch in (1, 8, 16))
MODELS = ("llama_1b", "nh_tts_standin", "qwen3_tts", "qwen3_tts_0_6b", "streamlet")
DERIVED_PLANS = (*MODELS, *(f"published/{name}" for name in ("qwen3_layer", "green_contexts", "mirage_experts")), *MPK_PLANS)
RUNS = ("P", "P+B", "P+B+L", "P+B+L+C", "B", "B+L", "B+L+C", "L", "L+C", "C")

# Figures that no per-capability table holds, so that each device must say where its own come from.
PART_FIGURES = {
    "compute_capability",
    "driver_names",
    "sms",
    "threads_per_warp",
    "register_unit_per_warp",
    "warp_unit_per_sm",
    "shared_reserve_bytes",
    "shared_unit_bytes",
    "l2_bytes",
    "l3_bytes",
    "hbm_bytes",
    "hbm_peak_bytes_per_s",
    "hbm_sustained_bytes_per_s",
    "dense_flops_per_s",
    "clock_hz",
    "launch",
    "partition",
    "clusters",
}

# CUDA C++ Programming Guide, table 27: CTAs and threads per SM, shared memory per SM and per CTA in KiB.
GUIDE = {
    "8.0": (32, 2048, 164, 163),
    "8.6": (16, 1536, 100, 99),
    "8.7": (16, 1536, 164, 163),
    "8.9": (24, 1536, 100, 99),
    "9.0": (32, 2048, 228, 227),
    "10.0": (32, 2048, 228, 227),
    "10.3": (32, 2048, 228, 227),
    "12.0": (24, 1536, 100, 99),
}

# The reconstruction: batch, group, threads (or graph), HBM bytes, then microseconds of one call at each CTA budget.
NH_TTS = """
1 P 512 8000000000 132:2500 88:2650 80:2710 72:2780
1 P graph 8400000000 132:4700
1 B 256 7800000000 132:2300 88:2418 80:2472.4 72:2532
1 B 512 7800000000 132:2461 88:2587.26 80:2645.468 72:2709.24
1 B graph 8200000000 132:5150
1 L 256 300000000 132:129 88:135.2 80:138.2 72:141.5
1 L 512 300000000 132:138.03 88:144.664 80:147.874 72:151.405
1 L graph 360000000 132:300
1 C 512 360000000 132:120 44:170 52:162 60:155
1 C graph 550000000 132:290
32 P 512 10500000000 132:7601 88:10950 80:11960 72:13200
32 P graph 19000000000 132:12600
32 B 256 7887600000 132:2950 88:3130 80:3200.4 72:3277
32 B 512 7887600000 132:3097.5 88:3286.5 80:3360.42 72:3440.85
32 B graph 13600000000 132:11250
32 L 256 360000000 132:167 88:177 80:181 72:185.4
32 L 512 360000000 132:175.35 88:185.85 80:190.05 72:194.67
32 L graph 620000000 132:520
32 C 512 1591200000 132:991 44:1105 52:1073 60:1050
32 C graph 2900000000 132:1290
64 P 512 13000000000 132:14374.2 88:21000 80:23000 72:25400
64 P graph 27000000000 132:22500
64 B 256 8278272000 132:3390 88:3593 80:3673.8 72:3762
64 B 512 8278272000 132:3593.4 88:3808.58 80:3894.228 72:3987.72
64 B graph 19400000000 132:17200
64 L 256 420000000 132:190 88:201.5 80:206 72:211
64 L 512 420000000 132:201.4 88:213.59 80:218.36 72:223.66
64 L graph 860000000 132:780
64 C 512 2885760000 132:1492.4 44:1670 52:1610 60:1570
64 C graph 4900000000 132:2050
"""
NH_TTS_ENTRIES = {
    ("P", 132): "P P+B P+B+L P+B+L+C",
    ("P", 88): "P+B+L",
    ("B", 132): "P+B P+B+L B+L+C P+B+L+C",
    ("B", 88): "P+B+L B+L+C P+B+L+C",
    ("L", 132): "P+B+L L+C B+L+C P+B+L+C",
    ("L", 88): "P+B+L B+L+C P+B+L+C",
    ("C", 132): "C L+C B+L+C P+B+L+C",
    ("C", 44): "C B+L+C P+B+L+C",
}
NH_TTS_ENTRIES_256 = {("B", 132): "B B+L", ("B", 88): "B+L", ("L", 132): "L B+L", ("L", 88): "B+L"}

SWEEP_SMS = (32, 48, 64, 80, 96, 132)
SWEEP_AR = dict(zip(SWEEP_SMS, map(Decimal, ("1.33", "1.21", "1.09", "1.08", "1.06", "1.00")), strict=True))
SWEEP_VOCODER = dict(zip(SWEEP_SMS, map(Decimal, ("2.5", "1.83", "1.49", "1.30", "1.18", "1.00")), strict=True))


def device_of(name: str) -> Device:
    document, findings = read_document(SPECS / "devices" / f"{name}.yaml")
    assert not findings
    assert document is not None
    assert isinstance(document.value, Device)
    return document.value


def study_of(plan: str, device: str | None = None) -> Study:
    return load_spec(SPECS / f"{plan}.yaml", device=device)


def records_of(study: Study) -> tuple[Record, ...]:
    return tuple(record for document in study.records for record in document.value.records)


def contracts_of(study: Study) -> dict[str, Contract]:
    return {document.value.entry: document.value for document in study.contracts}


def us(ps: int | None) -> Decimal:
    assert ps is not None
    return Decimal(ps) / 10**6


def call_us(study: Study, group: str, budget_ctas: int) -> Decimal:
    (record,) = (record for record in records_of(study) if record.group == group and record.budget_ctas == budget_ctas)
    return us(record.duration_ps)


def test_the_shipped_devices_are_those_that_are_listed() -> None:
    assert sorted(path.stem for path in (SPECS / "devices").iterdir()) == sorted(DEVICES)


@pytest.mark.parametrize("name", DEVICES)
def test_a_device_is_named_after_its_file(name: str) -> None:
    assert device_of(name).name == name


@pytest.mark.parametrize("name", DEVICES)
def test_each_figure_of_a_part_names_its_own_source(name: str) -> None:
    device = device_of(name)
    given = device.model_fields_set & PART_FIGURES
    assert given | {"default"} <= set(device.sources)


@pytest.mark.parametrize("name", NVIDIA)
def test_limits_are_those_of_the_guide_for_the_compute_capability(name: str) -> None:
    device = device_of(name)
    shared_kib = (device.shared_bytes_per_sm // 1024, device.shared_bytes_per_cta // 1024)
    assert (device.ctas_per_sm, device.threads_per_sm, *shared_kib) == GUIDE[device.compute_capability]
    assert (device.threads_per_cta, device.registers_per_thread) == (1024, 255)
    assert (device.registers_per_sm, device.registers_per_cta) == (65536, 65536)
    assert (device.register_unit_per_warp, device.warp_unit_per_sm) == (256, 4)
    assert (device.shared_reserve_bytes, device.shared_unit_bytes) == (1024, 128)
    assert device.threads_per_warp == 32


@pytest.mark.parametrize(
    ("name", "units", "kib", "unit"), [("mi250x_gcd", 110, 64, 512), ("mi300x", 304, 64, 512), ("mi355x", 256, 160, 1280)]
)
def test_limits_of_an_amd_device_are_those_of_its_own_rules(name: str, units: int, kib: int, unit: int) -> None:
    device = device_of(name)
    assert (device.sms, device.threads_per_warp, device.warps_per_sm, device.threads_per_cta) == (units, 64, 32, 1024)
    assert (device.registers_per_sm, device.registers_per_cta) == (512 * 1024 // 4, 512 * 1024 // 4)
    assert (device.registers_per_thread, device.register_unit_per_warp, device.warp_unit_per_sm) == (512, 8 * 64, 4)
    assert (device.shared_bytes_per_sm, device.shared_bytes_per_cta, device.shared_unit_bytes) == (kib * 1024, kib * 1024, unit)
    assert (device.shared_reserve_bytes, device.partition, device.clusters) == (0, None, ())


def test_only_the_newer_amd_devices_have_a_cache_between_l2_and_memory() -> None:
    cached = {name: device.l3_bytes for name in DEVICES if (device := device_of(name)).l3_bytes}
    assert cached == {"mi300x": 256 << 20, "mi355x": 256 << 20}
    assert device_of("mi300x").cached_bytes == (32 + 256) << 20


def test_each_driver_name_leads_to_one_device() -> None:
    names = [name for device in DEVICES for name in device_of(device).driver_names]
    assert len(names) == len(set(names))
    # The driver calls all modules of its family alike, so its name would lead profiles of the others here.
    assert [device for device in DEVICES if not device_of(device).driver_names] == ["jetson_agx_orin"]


@pytest.mark.parametrize("name", DEVICES)
def test_a_bandwidth_that_nobody_measured_is_said_to_be_assumed(name: str) -> None:
    source = device_of(name).sources["hbm_sustained_bytes_per_s"]
    measured = name in {"b300", "gh200", "h100_sxm", "h20", "h200", "jetson_agx_orin", "mi300x", "rtx_3090", "rtx_5090"}
    assert source.startswith("ASSUMED") is not measured


@pytest.mark.parametrize("name", DEVICES)
def test_no_launch_cost_is_made_up(name: str) -> None:
    assert not device_of(name).launch.model_fields_set


def test_the_page_of_the_devices_lists_their_figures() -> None:
    page = (SPECS.parent / "docs" / "devices.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `") and line.count("|") == 7]
    assert rows == [_listed(device_of(name)) for name in sorted(DEVICES)]
    assert f"[{len(DEVICES)} GPUs](docs/devices.md)" in (SPECS.parent / "README.md").read_text(encoding="utf-8")


def _listed(device: Device) -> str:
    assumed = " (assumed)" if device.sources["hbm_sustained_bytes_per_s"].startswith("ASSUMED") else ""
    bandwidths = f"{device.hbm_peak_bytes_per_s / 10**9:,.0f} | {device.hbm_sustained_bytes_per_s / 10**9:,.0f}{assumed}"
    rate = f"{(device.dense_flops_per_s or 0) / 10**12:,.1f}"
    names = ", ".join(device.driver_names) or "(none of its own)"
    return f"| `{device.name}` | {names} | {device.sms} | {bandwidths} | {rate} |"


def test_green_contexts_come_in_eights_from_hopper_on_and_in_twos_of_at_least_four_before() -> None:
    for name in NVIDIA:
        device = device_of(name)
        assert device.partition is not None
        is_newer = int(device.compute_capability.partition(".")[0]) >= 9
        assert (device.partition.unit_sms, device.partition.minimum_sms) == ((8, 8) if is_newer else (2, 4))


def test_only_sizes_that_somebody_ran_are_listed() -> None:
    partitions = {name: partition for name in DEVICES if (partition := device_of(name).partition) is not None}
    assert {name: one.sizes_sms for name, one in partitions.items() if one.sizes_sms} == {"h200": (32, 48, 64, 80, 96), "rtx_5090": (32,)}
    slices = {name: one.mig_sizes_sms for name, one in partitions.items() if one.mig_sizes_sms}
    assert slices == {"a100": (14, 28, 42, 56, 98), "h100_sxm": (16, 26, 32, 60, 64, 132)}


def test_two_mig_slices_fit_beside_each_other_and_three_sevenths_are_not_three_slices() -> None:
    assert pair_faults(device_of("a100"), "mig", (56, 42)) == ()
    (fault,) = pair_faults(device_of("h100_sxm"), "mig", (48, 60))
    assert "MIG slices have 16, 26, 32, 60, 64, 132 of its 132 SMs" in fault.message


def test_fifteen_clusters_of_eight_are_known_on_one_h100_sxm_only() -> None:
    clusters = {name: device_of(name).clusters for name in DEVICES}
    assert [(limit.cluster_ctas, limit.active_clusters) for limit in clusters.pop("h100_sxm")] == [(8, 15)]
    assert not any(clusters.values())


def test_each_plan_on_disk_is_tested_here() -> None:
    found = [path for path in SPECS.rglob("*.yaml") if "megasolve: spec/v1" in path.read_text(encoding="utf-8")]
    assert sorted(str(path.relative_to(SPECS).with_suffix("").as_posix()) for path in found) == sorted(
        (*PLANS, *MIXED_PLANS, *DERIVED_PLANS)
    )


def test_the_whole_folder_checks_clean_but_for_the_kernels_that_spill_at_512_threads() -> None:
    report = check_paths([SPECS])
    spilling = [(finding.rule.code, Path(finding.place.file).stem) for finding in report.findings]
    assert spilling == [("CMP-05", "B_L_512"), ("CMP-05", "P_B_L_C_512")]
    assert report.files_checked == len(list(SPECS.rglob("*.yaml")))


@pytest.mark.parametrize("plan", PLANS)
def test_a_record_stands_under_an_entry_that_has_its_group_backend_budget_and_context(plan: str) -> None:
    study = study_of(plan)
    contracts = contracts_of(study)
    for record in records_of(study):
        for entry in record.entries:
            contract = contracts[entry]
            parts = {sms for pair in partition_pairs(study.spec.value, study.device.value) for sms in pair}
            budgets = contract.budgets or (study.device.value.usable_sms, *parts)
            assert record.group in contract.members
            assert record.backend == contract.backend
            assert _canonical(record.model_dump(mode="json")["context"]) == _canonical(contract.context)
            assert record.budget_ctas in budgets


def _canonical(context: Mapping[str, Any]) -> str:
    return json.dumps(context, sort_keys=True)


@pytest.mark.parametrize("plan", PLANS)
def test_each_budget_of_an_entry_has_a_record_for_some_member(plan: str) -> None:
    study = study_of(plan)
    known = {(entry, record.budget_ctas) for record in records_of(study) for entry in record.entries}
    declared = {(entry, budget) for entry, contract in contracts_of(study).items() for budget in contract.budgets}
    assert declared <= known


@pytest.mark.parametrize("plan", PLANS)
def test_a_records_file_opens_with_where_its_figures_come_from(plan: str) -> None:
    for document in study_of(plan).records:
        assert Path(document.file).read_text(encoding="utf-8").startswith("# ")


def test_nh_tts_is_the_space_of_the_paper() -> None:
    study = study_of("nh_tts")
    spec = study.spec.value
    assert spec.batches == (1, 32, 64)
    assert [(group.name, group.role, group.calls) for group in spec.groups] == [
        ("P", "admission", 1),
        ("B", "producer", 1),
        ("L", "producer", 8),
        ("C", "consumer", 2),
    ]
    assert spec.stream is not None
    assert (spec.stream.ready_step, spec.stream.horizon_step) == (7, 8)
    assert [(pair.producer_ctas, pair.consumer_ctas) for pair in spec.budget_pairs] == [(88, 44), (80, 52), (72, 60)]
    assert set(contracts_of(study)) == {*RUNS, "P_graph", "B_graph", "L_graph", "C_graph"}


def test_nh_tts_records_are_the_reconstruction() -> None:
    records = records_of(study_of("nh_tts"))
    assert len(records) == 84
    found = Counter(
        (record.batch, record.group, _shape(record), record.hbm_bytes, record.budget_ctas, us(record.duration_ps)) for record in records
    )
    assert found == Counter(_golden_rows())


def _shape(record: Record) -> str:
    return str(record.context["launch"].get("threads", "graph"))


def _golden_rows() -> Iterator[tuple[int, str, str, int, int, Decimal]]:
    for line in NH_TTS.split("\n"):
        if line:
            batch, group, shape, hbm_bytes, *calls = line.split()
            for call in calls:
                ctas, duration_us = call.split(":")
                yield int(batch), group, shape, int(hbm_bytes), int(ctas), Decimal(duration_us)


def test_nh_tts_records_belong_to_the_entries_of_the_reconstruction() -> None:
    splits = {80: 88, 72: 88, 52: 44, 60: 44}
    for record in records_of(study_of("nh_tts")):
        if record.backend == "conventional":
            assert record.entries == (f"{record.group}_graph",)
            continue
        table = NH_TTS_ENTRIES_256 if _shape(record) == "256" else NH_TTS_ENTRIES
        assert " ".join(record.entries) == table[record.group, splits.get(record.budget_ctas, record.budget_ctas)]


def test_nh_tts_records_are_labelled_as_a_reconstruction_without_accuracy() -> None:
    labels = {(record.provenance.kind, record.accuracy) for record in records_of(study_of("nh_tts"))}
    assert labels == {("reconstructed", None)}


def test_nh_tts_entries_follow_the_register_rule_and_exclude_each_other_on_an_sm() -> None:
    study = study_of("nh_tts")
    device = study.device.value
    for entry in RUNS:
        launch = contracts_of(study)[entry].launch
        assert launch.threads == (256 if entry in {"B", "L", "B+L"} else 512)
        assert launch.registers == min(255, device.registers_per_sm // launch.threads)
        assert 2 * (launch.shared_bytes + device.shared_reserve_bytes) > device.shared_bytes_per_sm


def test_nh_tts_launch_costs_are_those_of_the_reconstruction() -> None:
    contracts = contracts_of(study_of("nh_tts"))
    dispatches = {contract.backend: contract.dispatch for contract in contracts.values()}
    assert all(contract.dispatch == dispatches[contract.backend] for contract in contracts.values())
    persistent, graph = dispatches["megakernel"], dispatches["conventional"]
    assert (persistent.kind, persistent.host_waits, persistent.host_ps, persistent.exposed_ps) == (
        "cooperative",
        True,
        45_000_000,
        5_000_000,
    )
    assert (graph.kind, graph.host_waits, graph.host_ps, graph.exposed_ps, graph.gap_ps) == ("graph", True, 15_000_000, 0, 1_300_000)
    assert [contracts[f"{group}_graph"].kernels for group in "PBLC"] == [300, 300, 40, 100]


def test_the_worked_example_adds_up_to_the_printed_totals() -> None:
    study = study_of("worked_example")
    assert set(contracts_of(study)) == {"P", "B+L", "C"}
    launch = us(contracts_of(study)["P"].dispatch.host_ps)
    step = call_us(study, "B", 132) + call_us(study, "L", 132)
    shared_step = call_us(study, "B", 88) + call_us(study, "L", 88)
    ready = launch + call_us(study, "P", 132) + launch + 2 * step
    assert ready == 20000
    assert ready + step + launch + call_us(study, "C", 132) == 30100
    assert ready + max(launch + shared_step, 2 * launch + call_us(study, "C", 44)) == 28200


def test_the_equal_partitions_add_up_to_the_printed_total() -> None:
    study = study_of("equal_partitions")
    spec = study.spec.value
    assert spec.stream is not None
    assert set(contracts_of(study)) == set(RUNS)
    calls = {group.name: group.calls for group in spec.groups}
    step = call_us(study, "B", 132) + calls["L"] * call_us(study, "L", 132)
    total = call_us(study, "P", 132) + spec.stream.horizon_step * step + calls["C"] * call_us(study, "C", 132)
    assert total == 37067


def test_the_equal_partitions_have_one_context_and_launches_that_cost_nothing() -> None:
    contracts = list(contracts_of(study_of("equal_partitions")).values())
    assert all(contract.context == contracts[0].context for contract in contracts)
    assert {(contract.dispatch.host_ps, contract.dispatch.exposed_ps) for contract in contracts} == {(0, 0)}


@pytest.mark.parametrize(("device", "megakernel", "graph"), [("h100_sxm", "972.78", "979.51"), ("h200", "759.83", "794.74")])
def test_llama_decode_is_the_published_step_on_each_device(device: str, megakernel: str, graph: str) -> None:
    records = [record for record in records_of(study_of("published/llama_1b_decode", device)) if record.device == device]
    found = {record.backend: (us(record.duration_ps), record.accuracy, record.provenance.kind) for record in records}
    accuracy = Decimal("0.02")
    assert found == {
        "megakernel": (Decimal(megakernel), accuracy, "published"),
        "conventional": (Decimal(graph), accuracy, "published"),
    }


def test_the_llama_megakernel_has_the_roles_of_its_source() -> None:
    launch = contracts_of(study_of("published/llama_1b_decode"))["D"].launch
    assert [(role.threads, role.registers) for role in launch.roles] == [(16 * 32, 104), (4 * 32, 64)]
    assert launch.threads == 640
    assert launch.shared_bytes >= 13 * 16 * 1024


@pytest.mark.parametrize(("batch", "megakernel", "conventional"), [(1, 292, 185), (2, 465, 307), (4, 703, 453), (8, 1000, 757)])
def test_cohere_steps_are_the_batch_over_the_published_rate(batch: int, megakernel: int, conventional: int) -> None:
    records = [record for record in records_of(study_of("published/cohere_decode")) if record.batch == batch]
    rates = {record.backend: batch * 10**6 / us(record.duration_ps) for record in records}
    assert rates["megakernel"] == pytest.approx(Decimal(megakernel), rel=Decimal("1e-9"))
    assert rates["conventional"] == pytest.approx(Decimal(conventional), rel=Decimal("1e-9"))


@pytest.mark.parametrize("mix", SWEEPS)
def test_a_sweep_record_is_the_published_ratio_times_the_work(mix: str) -> None:
    study = study_of(f"published/tts_sm_sweep_{mix}")
    producer_ms, vocoder_ms = map(int, mix.split("_"))
    for sms in SWEEP_SMS:
        assert call_us(study, "AR", sms) == SWEEP_AR[sms] * producer_ms * 1000
        assert call_us(study, "V", sms) == SWEEP_VOCODER[sms] * vocoder_ms * 1000


@pytest.mark.parametrize("mix", SWEEPS)
def test_a_sweep_offers_each_pair_of_measured_sizes_that_fits(mix: str) -> None:
    pairs = [(pair.producer_ctas, pair.consumer_ctas) for pair in study_of(f"published/tts_sm_sweep_{mix}").spec.value.budget_pairs]
    assert sorted(pairs) == [(x, y) for x in SWEEP_SMS for y in SWEEP_SMS if x + y <= 132]


@pytest.mark.parametrize("mix", SWEEPS)
def test_a_sweep_says_that_its_zero_bytes_make_a_lower_bound(mix: str) -> None:
    study = study_of(f"published/tts_sm_sweep_{mix}")
    assert {record.hbm_bytes for record in records_of(study)} == {0}
    assert all("lower bound" in record.provenance.source for record in records_of(study))
    assert "lower bound" in (study.spec.value.notes or "")


@pytest.mark.parametrize(("mix", "best"), [("20_12", (64, 64)), ("10_20", (32, 96)), ("16_16", (48, 80)), ("8_30", (32, 96))])
def test_after_readiness_each_mix_has_one_best_pair(mix: str, best: tuple[int, int]) -> None:
    study = study_of(f"published/tts_sm_sweep_{mix}")
    pairs = [pair.counts for pair in study.spec.value.budget_pairs]
    ends = {(x, y): max(call_us(study, "AR", x), call_us(study, "V", y)) for x, y in pairs}
    assert [pair for pair, end in ends.items() if end == min(ends.values())] == [best]
