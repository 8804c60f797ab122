"""The rules of files, each in the turns that its accepted and rejected files do not show."""

from __future__ import annotations

from hashlib import sha256
from itertools import permutations
from pathlib import Path

import pytest

from megasolve.contracts import Severity, check_paths
from megasolve.contracts.check.rules.wording import microseconds, nearest
from tests.support.disk.rule_files import CONTRACT, DEVICE, RECORDS, SPEC, changed, check_study, check_text

LOOP = changed(CONTRACT, ("members: [B]", "members: [B, L]\nloops_on_device: true"))
KERNEL = """\
megasolve: contract/v1
entry: norm
backend: conventional
members: [B]
launch: {threads: 256, registers: 64}
dispatch: {kind: stream, host_waits: false}
"""


def edges(*rows: str) -> str:
    """Return the spec of groups P, B, L and C with these edges."""
    return changed(SPEC, ("contracts: []", f"edges: [{', '.join(f'{{{row}}}' for row in rows)}]\ncontracts: []"))


def codes(findings: list[str]) -> list[str]:
    """Return the rule codes, in the order of the findings."""
    return [finding.split()[0] for finding in findings]


# Device


def test_every_contradiction_of_a_device_is_reported_at_once(tmp_path: Path) -> None:
    broken = changed(
        DEVICE,
        ("threads_per_cta: 1024", "threads_per_cta: 4096"),
        ("registers_per_cta: 65536", "registers_per_cta: 131072"),
        ("hbm_sustained_bytes_per_s: 3.6e12", "hbm_sustained_bytes_per_s: 4.6e12"),
    )
    assert codes(check_text(tmp_path, broken)) == ["DEV-01", "DEV-01", "DEV-03"]


def test_a_register_limit_per_cta_below_that_of_the_sm_is_fine(tmp_path: Path) -> None:
    assert check_text(tmp_path, changed(DEVICE, ("registers_per_cta: 65536", "registers_per_cta: 32768"))) == []


def test_a_warp_unit_divides_the_warps_of_an_sm(tmp_path: Path) -> None:
    (finding,) = check_text(tmp_path, changed(DEVICE, ("warp_unit_per_sm: 4", "warp_unit_per_sm: 5")))
    assert finding == "DEV-04 a unit of 5 warps does not divide the 64 warps of an SM; give a divisor of 64"


def test_a_register_unit_is_counted_per_warp_not_per_thread(tmp_path: Path) -> None:
    (finding,) = check_text(tmp_path, changed(DEVICE, ("register_unit_per_warp: 256", "register_unit_per_warp: 8")))
    assert finding == "DEV-05 8 is no multiple of 32 registers, one per lane of a warp; the nearest are 32"


def test_a_source_of_a_launch_kind_covers_the_launch_costs(tmp_path: Path) -> None:
    sources = "\n  ".join(f"{line.split(':')[0]}: a table" for line in DEVICE.splitlines()[4:-3])
    listed = changed(DEVICE, ("sources: {default: invented}", f"sources:\n  {sources}\n  launch.stream: a probe"))
    assert check_text(tmp_path, listed) == []
    (finding,) = check_text(tmp_path, listed.replace("launch.stream", "launch.graph"))
    assert finding.startswith("DEV-08 'launch.graph' is no figure of this file")


@pytest.mark.parametrize(("sizes", "refused"), [("[88, 44]", 0), ("[132]", 0), ("[52, 80]", 0), ("[90]", 1), ("[4]", 1), ("[136]", 1)])
def test_a_partition_is_whole_units_or_what_such_a_one_leaves(tmp_path: Path, sizes: str, refused: int) -> None:
    partition = f"partition: {{unit_sms: 8, minimum_sms: 8, sizes_sms: {sizes}}}\nsources:"
    assert codes(check_text(tmp_path, changed(DEVICE, ("sources:", partition)))) == ["DEV-11"] * refused


def test_a_partition_minimum_is_whole_units(tmp_path: Path) -> None:
    (finding,) = check_text(tmp_path, changed(DEVICE, ("sources:", "partition: {unit_sms: 8, minimum_sms: 12}\nsources:")))
    assert finding == "DEV-11 a minimum of 12 SMs with a unit of 8; give a multiple of 8, at most 132"


# Spec, stream, edges


def test_a_spec_of_one_admission_group_works(tmp_path: Path) -> None:
    groups = "groups:\n  - {name: P, role: admission}\npublication: {group: P}\n"
    assert check_study(tmp_path, SPEC[: SPEC.index("groups:")] + groups + "contracts: []\nrecords: []\n") == []


def test_an_admission_group_publishes_without_a_step(tmp_path: Path) -> None:
    groups = "groups:\n  - {name: P, role: admission}\npublication: {group: P, step: 1}\n"
    (finding,) = check_study(tmp_path, SPEC[: SPEC.index("groups:")] + groups + "contracts: []\nrecords: []\n")
    assert finding == "SPC-16 step 1 of 'P', an admission group, which runs once; remove step"


def test_the_default_policies_apply_to_a_spec_without_a_consumer(tmp_path: Path) -> None:
    spec = changed(SPEC, ("  - {name: C, role: consumer}\nstream: {first_chunk: 2}\n", "publication: {group: L, step: 1}\n"))
    assert check_study(tmp_path, spec) == []
    assert codes(check_study(tmp_path, spec + "policies: [fixed, serial, dynamic]\n")) == ["SPC-08", "SPC-08"]


@pytest.mark.parametrize(("objective", "is_possible"), [("first_publication", True), ("producer_step", True), ("chunk_interval", False)])
def test_an_objective_is_a_time_that_the_stream_declares(tmp_path: Path, objective: str, is_possible: bool) -> None:
    findings = check_study(tmp_path, changed(SPEC, ("stream:", f"objective: {objective}\nstream:")))
    assert codes(findings) == ([] if is_possible else ["SPC-10"])


def test_a_publication_that_only_the_lookahead_makes_impossible_names_its_step(tmp_path: Path) -> None:
    (finding,) = check_study(tmp_path, changed(SPEC, ("{first_chunk: 2}", "{first_chunk: 2, lookahead: 3, length_steps: 4}")))
    assert "the utterance has 4 steps, its publication waits for step 5" in finding


def test_a_cycle_of_three_groups_is_named_in_full(tmp_path: Path) -> None:
    (finding,) = check_study(tmp_path, edges("from: P, to: B", "from: B, to: L", "from: L, to: P"))
    assert finding.startswith("GRP-04 cycle P -> B -> L -> P within one step")


def test_each_edge_that_closes_a_cycle_is_reported(tmp_path: Path) -> None:
    rows = ("from: P, to: B", "from: B, to: L", "from: L, to: B", "from: L, to: P")
    assert codes(check_study(tmp_path, edges(*rows))) == ["GRP-04", "GRP-04"]


def test_cycles_do_not_depend_on_the_order_of_edges(tmp_path: Path) -> None:
    rows = ("from: P, to: B", "from: B, to: L", "from: L, to: P")
    messages = {tuple(check_study(tmp_path, edges(*order))) for order in permutations(rows)}
    assert len(messages) == 1


@pytest.mark.parametrize("edge", ["from: C, to: B", "from: C, to: B, kind: state", "from: B, to: P"])
def test_nothing_flows_back_within_a_step(tmp_path: Path, edge: str) -> None:
    assert codes(check_study(tmp_path, edges(edge))) == ["GRP-06"]


@pytest.mark.parametrize("edge", ["from: C, to: B", "from: C, to: C", "from: P, to: B"])
def test_only_producers_are_joined_from_step_to_step(tmp_path: Path, edge: str) -> None:
    assert codes(check_study(tmp_path, edges(f"{edge}, distance: 1"))) == ["GRP-05"]


def test_an_edge_to_an_unknown_group_is_one_fault(tmp_path: Path) -> None:
    (finding,) = check_study(tmp_path, edges("from: b, to: L"))
    assert finding == "GRP-01 'b' is no group of this spec; did you mean 'B'?"


# Contract


@pytest.mark.parametrize("budgets", ["[132, 88, 80]", "[80, 88, 132]", "[132]"])
def test_budgets_are_sorted_either_way(tmp_path: Path, budgets: str) -> None:
    assert check_text(tmp_path, changed(CONTRACT, ("[132, 88]", budgets))) == []


def test_a_repeated_budget_is_unsorted(tmp_path: Path) -> None:
    (finding,) = check_text(tmp_path, changed(CONTRACT, ("[132, 88]", "[132, 132, 88]")))
    assert finding == "CON-05 132 after 132; budgets are sorted, each once: write [88, 132]"


def test_budgets_in_two_units_are_refused(tmp_path: Path) -> None:
    findings = check_text(tmp_path, changed(CONTRACT, ("[132, 88]", "[132, 88]\nbudgets_clusters: [66]")))
    assert findings == [
        "CON-03 budgets both in CTAs and in clusters; exactly one of the two: remove budgets_clusters if the kernel counts CTAs"
    ]


def test_an_empty_list_of_budgets_is_refused(tmp_path: Path) -> None:
    assert codes(check_text(tmp_path, changed(CONTRACT, ("[132, 88]", "[]")))) == ["CON-03"]


@pytest.mark.parametrize("path", ["/kernels/a.cu", "C:\\\\kernels\\\\a.cu", "\\\\\\\\server\\\\a.cu"])
def test_a_source_is_relative_on_every_system(tmp_path: Path, path: str) -> None:
    source = f'members: [B]\nsource: {{file: "{path}", sha256: {"a" * 64}}}'
    assert codes(check_text(tmp_path, changed(CONTRACT, ("members: [B]", source)))) == ["CON-11"]


# References


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ("[P, L]", "REF-02 P, L leave out B; members are contiguous groups of the spec: P, B, L"),
        ("[L, B]", "REF-02 L, B are not in the order of the spec; write B, L"),
    ],
)
def test_members_are_a_run_of_the_groups(tmp_path: Path, members: str, message: str) -> None:
    contract = changed(CONTRACT, ("members: [B]", f"members: {members}\nloops_on_device: false"))
    assert check_study(tmp_path, contract=contract) == [message]


def test_a_megakernel_cannot_loop_where_there_are_no_producers(tmp_path: Path) -> None:
    groups = "groups:\n  - {name: B, role: admission}\npublication: {group: B}\ncontracts: []\nrecords: []\n"
    spec = SPEC[: SPEC.index("groups:")] + groups
    (finding,) = check_study(tmp_path, spec, contract=CONTRACT + "loops_on_device: true\n")
    assert finding == "REF-05 loops on the device, but has no step to loop over: the spec has no producer; say false, or remove the key"


PAIR = changed(SPEC, ("contracts: []", "budget_pairs: [{producer_ctas: 88, consumer_ctas: 52}]\ncontracts: []"))
CODEC = changed(CONTRACT, ("entry: decode", "entry: codec"), ("members: [B]", "members: [C]"), ("[132, 88]", "[132, 52]"))


WIDE = ("registers: 128", "registers: 255")


def test_a_pair_that_never_fits_names_the_sum(tmp_path: Path) -> None:
    (finding,) = check_study(tmp_path, PAIR, loop=changed(LOOP, WIDE), codec=CODEC)
    assert finding.startswith("REF-07 88/52 holds 88 + 52 = 140 > 132 SMs of 'gpu'; lower one side")


def test_a_pair_of_entries_that_share_every_sm_fits(tmp_path: Path) -> None:
    assert check_study(tmp_path, PAIR, loop=LOOP, codec=CODEC) == []


def test_a_pair_without_entries_is_counted_one_cta_on_an_sm(tmp_path: Path) -> None:
    assert codes(check_study(tmp_path, PAIR)) == ["REF-07"]


def test_a_pair_that_deadlocks_in_one_order_says_so_until_a_contract_packs_it(tmp_path: Path) -> None:
    pair = changed(PAIR, ("producer_ctas: 88", "producer_ctas: 160"))
    dense = changed(LOOP, ("[132, 88]", "[160]"), ("registers: 128", "registers: 128, shared_bytes: 110000, ctas_per_sm: 2"))
    codec = changed(CODEC, ("registers: 128", "registers: 128, shared_bytes: 150000"))
    (finding,) = check_study(tmp_path, pair, loop=dense, codec=codec)
    assert finding.startswith("REF-07 160/52: 80 + 52 = 132 SMs <= 132 only if packed: launched first, 'decode' takes 132 of 132 SMs")
    assert "; a deadlock in that order; lower one side, or state in `placement.packed` of 'decode' what packs its CTAs" in finding
    assert check_study(tmp_path, pair, loop=dense + "placement: {packed: roles of one cluster}\n", codec=codec) == []


def test_a_pair_fits_where_two_ctas_of_a_side_share_an_sm(tmp_path: Path) -> None:
    dense = changed(CODEC, ("registers: 128", "registers: 96, ctas_per_sm: 2"))
    assert check_study(tmp_path, PAIR, loop=LOOP, codec=dense) == []


def test_one_shared_launch_supports_a_pair_by_its_sum(tmp_path: Path) -> None:
    pair = changed(PAIR, ("consumer_ctas: 52", "consumer_ctas: 44"))
    whole = changed(LOOP, ("members: [B, L]", "members: [P, B, L, C]"), ("[132, 88]", "[132]"))
    assert check_study(tmp_path, pair, whole=whole) == []
    assert codes(check_study(tmp_path, changed(pair, ("consumer_ctas: 44", "consumer_ctas: 40")), whole=whole)) == ["REF-06", "REF-06"]


def test_a_contract_may_bring_the_costs_that_its_device_lacks(tmp_path: Path) -> None:
    graph = changed(LOOP, ("kind: stream, host_waits: false", "kind: graph, host_waits: false, host_us: 8, exposed_us: 2"))
    (finding,) = check_study(tmp_path, contract=graph)
    assert finding.startswith("REF-08 no gap_us for a launch of kind 'graph'; device 'gpu' has no launch.graph")
    assert check_study(tmp_path, contract=changed(graph, ("exposed_us: 2", "exposed_us: 2, gap_us: 1.3"))) == []


PARTIAL = changed(DEVICE, ("  stream: {host_us: 4, exposed_us: 2}", "  stream: {host_us: 4, exposed_us: 2}\n  cooperative: {host_us: 4}"))


def test_a_figure_of_a_launch_that_neither_device_nor_contract_states_is_a_finding(tmp_path: Path) -> None:
    cooperative = changed(LOOP, ("kind: stream", "kind: cooperative"))
    (finding,) = check_study(tmp_path, device=PARTIAL, contract=cooperative)
    place = "launch.cooperative of device 'gpu' has none"
    assert finding.startswith(f"REF-08 no exposed_us for a launch of kind 'cooperative'; {place}: add it there, or the figures here")
    assert (
        check_study(tmp_path, device=PARTIAL, contract=changed(cooperative, ("host_waits: false", "host_waits: false, exposed_us: 0")))
        == []
    )


def test_a_gap_that_a_profile_measured_needs_no_other_figure_of_a_launch(tmp_path: Path) -> None:
    changes = (
        ("backend: megakernel", "backend: conventional"),
        ("budgets_ctas: [132, 88]\n", ""),
        ("kind: stream, host_waits: false", "kind: cooperative, host_waits: false, gap_us: 1"),
    )
    assert check_study(tmp_path, device=PARTIAL, contract=changed(CONTRACT, *changes)) == []


def test_a_source_is_compared_only_where_it_lies(tmp_path: Path) -> None:
    contract = LOOP + f"source: {{file: kernels/loop.cu, sha256: {sha256(b'before').hexdigest()}}}\n"
    assert check_study(tmp_path, contract=contract) == []
    (tmp_path / "kernels").mkdir()
    source = tmp_path / "kernels" / "loop.cu"
    source.write_bytes(b"before")
    assert check_study(tmp_path, contract=contract) == []
    source.write_bytes(b"after")
    assert codes(check_study(tmp_path, contract=contract)) == ["REF-09"]


def kernel(entry: str, *lines: str) -> str:
    """Return a conventional contract of group B."""
    return changed(KERNEL, ("entry: norm", "\n".join((f"entry: {entry}", *lines))))


def test_the_only_kernel_of_a_group_needs_no_order(tmp_path: Path) -> None:
    assert check_study(tmp_path, norm=kernel("norm")) == []


def test_variants_of_a_group_are_numbered_apart(tmp_path: Path) -> None:
    fast, slow = kernel("fast", "implementation: fast"), kernel("slow", "implementation: slow")
    assert check_study(tmp_path, fast=fast, slow=slow) == []


def test_two_kernels_of_a_group_each_need_an_order(tmp_path: Path) -> None:
    findings = check_study(tmp_path, norm=kernel("norm", "order: 0"), gemm=kernel("gemm"))
    assert findings == ["REF-10 one of 2 kernels of group 'B' without an order; number them from 0"]


def test_orders_may_start_anywhere_but_leave_no_gap(tmp_path: Path) -> None:
    assert check_study(tmp_path, norm=kernel("norm", "order: 1"), gemm=kernel("gemm", "order: 2")) == []
    assert codes(check_study(tmp_path, norm=kernel("norm", "order: 1"), gemm=kernel("gemm", "order: 3"))) == ["REF-11"]


# Records


def test_a_record_without_any_time_is_refused(tmp_path: Path) -> None:
    (finding,) = check_text(tmp_path, changed(RECORDS, ("    duration_us: 100\n", "")))
    assert finding == "REC-01 a record without a time; give duration_us or samples_us, exactly one of the two"


def test_every_faulty_record_of_a_file_is_reported(tmp_path: Path) -> None:
    record = RECORDS[RECORDS.index("  - group") :]
    broken = record.replace("    duration_us: 100\n", "    beside: codec\n")
    assert codes(check_text(tmp_path, RECORDS + broken + record + broken)) == ["REC-01", "REC-06", "REC-01", "REC-06"]


@pytest.mark.parametrize(("kind", "is_refused"), [("measured", True), ("profiled", True), ("tile-simulated", False)])
def test_only_a_claim_to_the_hardware_can_be_faked(tmp_path: Path, kind: str, is_refused: bool) -> None:
    provenance = f"{{kind: {kind}, source: invented, tool: events, date: 2026-11-04, fake: true}}"
    findings = check_text(tmp_path, changed(RECORDS, ("{kind: published, source: invented}", provenance)))
    assert codes(findings) == (["REC-05"] if is_refused else [])


def check_record(folder: Path, *changes: tuple[str, str], **companions: str) -> list[str]:
    """Check the record of B on the megakernel `decode`, changed, in the study of P, B, L and C."""
    return check_study(folder, **({"contract": CONTRACT} | companions), records=changed(RECORDS, *changes))


@pytest.mark.parametrize(("hbm_bytes", "is_refused"), [(400_000_000, False), (400_000_001, True)])
def test_the_peak_bandwidth_bounds_a_record_exactly(tmp_path: Path, hbm_bytes: int, is_refused: bool) -> None:
    # 100 us at 4e12 bytes/s move 400,000,000 bytes; one more takes a part of a picosecond longer.
    findings = check_record(tmp_path, ("duration_us: 100", f"duration_us: 100\n    hbm_bytes: {hbm_bytes}"))
    assert codes(findings) == (["REC-09"] if is_refused else [])


def test_physics_bounds_the_statistic_that_a_record_names(tmp_path: Path) -> None:
    samples = "samples_us: [90, 100, 110]\n    hbm_bytes: 400000000"
    assert check_record(tmp_path, ("duration_us: 100", samples)) == []
    assert codes(check_record(tmp_path, ("duration_us: 100", f"{samples}\n    statistic: minimum"))) == ["REC-09"]


def test_a_record_without_a_time_is_no_riddle_for_physics(tmp_path: Path) -> None:
    assert codes(check_record(tmp_path, ("duration_us: 100", "samples_us: []\n    hbm_bytes: 400000000"))) == ["REC-02"]


def test_a_conventional_record_stands_at_the_usable_sms(tmp_path: Path) -> None:
    contract = changed(KERNEL, ("entry: norm", "entry: decode"), ("registers: 64", "registers: 128"))
    change = ("backend: megakernel", "backend: conventional")
    assert check_record(tmp_path, change, contract=contract) == []
    (finding,) = check_record(tmp_path, change, ("budget_ctas: 132", "budget_ctas: 88"), contract=contract)
    assert finding == "REC-14 88 CTAs is no budget of 'decode'; a conventional kernel has the whole device: 132"


def test_another_context_names_every_differing_leaf(tmp_path: Path) -> None:
    contract = changed(CONTRACT, ("registers: 128}", "registers: 128}\nstorage: {forwarded: [hidden, logits]}"))
    change = ("registers: 128}}", "registers: 120}, storage: {forwarded: [hidden, scores]}}")
    (finding,) = check_record(tmp_path, change, contract=contract)
    assert "differs in launch.registers: 120 in the record, 128 in the contract; storage.forwarded[1]: scores in the record" in finding


def test_an_absent_field_matches_only_an_absent_one(tmp_path: Path) -> None:
    (finding,) = check_record(tmp_path, ("registers: 128}", "registers: 128, ctas_per_sm: 1}"))
    assert "launch.ctas_per_sm: 1 in the record, nothing in the contract" in finding


def test_a_wait_cost_in_the_context_matches_as_it_is_written(tmp_path: Path) -> None:
    contract = changed(CONTRACT, ("registers: 128}", "registers: 128}\nsynchronization: {kind: counters, cost_us: 1.5}"))
    change = ("registers: 128}}", "registers: 128}, synchronization: {kind: counters, cost_us: 1.5}}")
    assert check_record(tmp_path, change, contract=contract) == []
    (finding,) = check_record(tmp_path, (change[0], change[1].replace("1.5", "1.25")), contract=contract)
    assert "synchronization.cost_us: 1.25 in the record, 1.5 in the contract" in finding


def test_a_record_of_two_entries_repeats_a_record_of_either(tmp_path: Path) -> None:
    spec = changed(SPEC, ("stream:", "title: two entries\nstream:"))
    other = changed(CONTRACT, ("entry: decode", "entry: other"))
    both = changed(RECORDS, ("[decode]", "[decode, other]"))
    one = changed(RECORDS, ("[decode]", "[other]"))
    findings = check_study(tmp_path, spec, decode=CONTRACT, other=other, a_records=both, b_records=one)
    assert codes(findings) == ["REC-21"]
    elsewhere = changed(one, ("batch: 1", "batch: 1\n    shapes: {}"), ("budget_ctas: 132", "budget_ctas: 88"))
    assert check_study(tmp_path, spec, decode=CONTRACT, other=other, a_records=both, b_records=elsewhere) == []


def test_frames_are_a_shape_of_a_consumer_with_left_context_only(tmp_path: Path) -> None:
    codec = changed(CONTRACT, ("members: [B]", "members: [C]"))
    records = changed(RECORDS, ("group: B", "group: C"), ("batch: 1", "batch: 1\n    shapes: {frames: 2}"))
    window = changed(
        SPEC, ("role: consumer}", "role: consumer, left_context_frames: 4}"), ("first_chunk: 2", "first_chunk: 2, next_chunk: 4")
    )
    assert check_study(tmp_path, window, codec=codec, records=records) == []
    assert codes(check_study(tmp_path, codec=codec, records=records)) == ["REC-22"]


def test_a_record_of_another_device_of_the_spec_is_kept(tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text(changed(DEVICE, ("name: gpu", "name: other")))
    spec = changed(SPEC, ("device: device.yaml", "device: device.yaml\nother_devices: [other.yaml]"))
    assert check_study(tmp_path, spec, contract=CONTRACT, records=changed(RECORDS, ("device: gpu", "device: other"))) == []


def test_findings_do_not_depend_on_the_order_of_patterns(tmp_path: Path) -> None:
    check_study(tmp_path, a=CONTRACT, b=CONTRACT, a_records=RECORDS, b_records=RECORDS)
    spec = tmp_path / "spec.yaml"
    first = check_paths([spec]).findings
    text = spec.read_text()
    spec.write_text(
        changed(text, ("[a.yaml, b.yaml]", "[b.yaml, a.yaml]"), ("[a_records.yaml, b_records.yaml]", "[b_records.yaml, a_records.yaml]"))
    )
    assert [finding.rule.code for finding in first] == ["REF-03", "REC-21"]
    assert check_paths([spec]).findings == first


def test_an_unplanned_batch_only_warns(tmp_path: Path) -> None:
    check_record(tmp_path, ("batch: 1", "batch: 4"))
    (finding,) = check_paths([tmp_path / "spec.yaml"]).findings
    assert (finding.rule.code, finding.severity) == ("REC-15", Severity.WARNING)


@pytest.mark.parametrize(
    ("shapes", "told"),
    [
        ("", "with no shapes is not planned, so this record is unused; its calls have frames 2 (first chunk), frames 7 (later chunk)"),
        ("    shapes: {frames: 3}\n", "with frames 3 is not planned"),
        ("    shapes: {frames: 2}\n", None),
        ("    shapes: {frames: 7}\n", None),
    ],
)
def test_a_record_of_shapes_that_no_call_has_is_unused(tmp_path: Path, shapes: str, told: str | None) -> None:
    spec = changed(
        SPEC, ("role: consumer}", "role: consumer, left_context_frames: 3}"), ("{first_chunk: 2}", "{first_chunk: 2, next_chunk: 4}")
    )
    codec = changed(CONTRACT, ("entry: decode", "entry: codec"), ("members: [B]", "members: [C]"))
    records = changed(
        RECORDS, ("group: B", "group: C"), ("entries: [decode]", "entries: [codec]"), ("    batch: 1\n", f"    batch: 1\n{shapes}")
    )
    found = check_study(tmp_path, spec, codec=codec, records=records)
    assert [one[: one.index(" ")] for one in found] == (["REC-24"] if told else [])
    assert not told or told in found[0]


def test_a_context_that_differs_in_much_names_the_first_differences(tmp_path: Path) -> None:
    many = f"geometry: {{{', '.join(f'field_{number}: {number}' for number in range(10))}}}\n"
    contract = CONTRACT + "loops_on_device: true\n"
    spec = SPEC.replace("  - {name: L, role: producer}\n", "")
    taken = changed(RECORDS, ("128}}", "128}, geometry: {}}"))
    (finding,) = check_study(tmp_path, spec, contract=contract + many, records=taken)
    assert finding.startswith("REC-19 for another context than 'decode': differs in geometry.field_0: nothing in the record, 0 in the")
    assert "geometry.field_7: nothing in the record, 7 in the contract; and 2 more; measure again" in finding
    (finding,) = check_study(tmp_path, spec, contract=contract, records=taken)
    assert "differs in geometry: {} in the record, nothing in the contract;" in finding


# Wording


def test_the_nearest_name_is_named_whatever_its_case() -> None:
    assert nearest("DECODE", ["decode", "codec"]) == "; did you mean 'decode'?"


def test_without_a_near_name_all_are_listed_in_order() -> None:
    assert nearest("x", ["codec", "attention"]) == "; known: attention, codec"
    assert nearest("x", []) == "; known: none"


def test_times_are_written_as_in_files() -> None:
    assert [microseconds(ps) for ps in (1, 2_500_000, 100_000_000)] == ["0.000001 µs", "2.5 µs", "100 µs"]


def test_one_step_is_not_one_steps(tmp_path: Path) -> None:
    spec = changed(SPEC, ("stream: {first_chunk: 2}", "stream: {first_chunk: 2, length_steps: 1}"))
    (message,) = check_study(tmp_path, spec)
    assert message.startswith("STR-01 no publication: the utterance has 1 step, the first chunk needs 2; at least 2 steps, or")


@pytest.mark.parametrize(
    ("edges", "messages"),
    [
        ("[]", []),
        ("[{from: P, to: B}, {from: B, to: L}, {from: L, to: C}]", []),
        ("[{from: B, to: L}, {from: L, to: C}]", ["no edge touches admission 'P'"]),
        ("[{from: L, to: B, distance: 1}]", []),
        ("[{from: P, to: B}, {from: B, to: C}]", ["no edge touches producer 'L'"]),
        ("[{from: P, to: B}, {from: B, to: L}]", ["no edge touches consumer 'C'"]),
        ("[{from: P, to: C}, {from: B, to: L}]", ["no edges lead from a producer to consumer 'C'"]),
        ("[{from: B, to: X}]", ["'X' is no group of this spec"]),
    ],
)
def test_edges_leave_no_group_out(tmp_path: Path, edges: str, messages: list[str]) -> None:
    found = check_study(tmp_path, SPEC + f"edges: {edges}\n")
    assert [message[7:].partition(";")[0] for message in found] == messages


@pytest.mark.parametrize(("kind", "warns"), [("measured", True), ("profiled", True), ("published", False)])
def test_an_observed_record_without_a_source_hash_cannot_be_checked_for_staleness(tmp_path: Path, kind: str, warns: bool) -> None:
    contract = CONTRACT + f"source: {{file: elsewhere.cu, sha256: '{'0' * 64}'}}\n"
    records = changed(RECORDS, ("kind: published, source: invented", f'kind: {kind}, source: invented, tool: t, date: "2026-01-01"'))
    found = check_study(tmp_path, contract=contract, records=records)
    assert [message[:43] for message in found] == ["REC-23 cannot be checked for staleness: " + kind[:3]] * warns
