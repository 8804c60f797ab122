"""Partitions by hand: when they win, what they need, what a device cannot give, and what a split takes with their load. Times in us."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from megasolve.contracts import Study, check_paths
from megasolve.simulate import Objective
from megasolve.solver import Explanation, explain
from tests.support.command import CHECKOUT
from tests.support.planning.answers import first, score_us
from tests.support.planning.studies import GRAPH, Fields, conventional, group, megakernel, record, spec, study

US = 10**6
# Bytes in a microsecond, more than the bandwidth of any device.
ALL_US = 10**7
UNITS: Fields = {"unit_sms": 8, "minimum_sms": 8, "sizes_sms": (88,)}
PAIR: Fields = {"producer_sms": 88, "consumer_sms": "rest"}
STREAM: Fields = {"first_chunk": 2, "lookahead": 2}


def kernels(step_us: int, chunk_us: int, *, part_step_us: int, part_chunk_us: int, moved: tuple[int, int] = (0, 0), **fields: Any) -> Study:
    """A prefill of 1,000 us, and a producer and a consumer of conventional kernels, on the whole device and on 88 and 44 SMs."""
    contracts = [conventional("P"), conventional("B"), conventional("C")]
    prefill, producer, consumer = contracts
    known = [record(prefill, "P", 1000), record(producer, "B", step_us), record(consumer, "C", chunk_us)]
    known += [record(producer, "B", part_step_us, 88, hbm_bytes=moved[0]), record(consumer, "C", part_chunk_us, 44, hbm_bytes=moved[1])]
    return planned(contracts, known, **fields)


def planned(contracts: list[Fields], known: list[Fields], **fields: Any) -> Study:
    """A study of these contracts under the policies serial and partition, unless *fields* say otherwise."""
    groups = [group("P", "admission"), group("B", "producer"), group("C", "consumer")]
    policies = {"policies": ["serial", "partition"], "partition_pairs": [PAIR], "stream": STREAM}
    partition = fields.pop("partition", UNITS)
    return study(spec(groups, **{**policies, **fields}), contracts, known, partition=partition)


def test_two_sides_run_beside_each_other_from_the_first_chunk_on() -> None:
    found = first(kernels(1000, 1500, part_step_us=1100, part_chunk_us=2000))
    assert score_us(found, "c:P/c:B/c:C@serial") == 1000 + 4 * 1000 + 1500
    assert score_us(found, "c:P/c:B/c:C@partition:88/44") == 1000 + 2 * 1100 + max(2 * 1100, 2000)
    assert found.best == ("c:P+B/c:C@partition:88/44", "c:P/c:B/c:C@partition:88/44")


def split_study(**fields: Any) -> Study:
    """The same with a megakernel for each side that is slower than its kernels: a split of them exists, and loses."""
    contracts = [conventional("P"), conventional("B"), conventional("C")]
    contracts += [megakernel("B", budgets=(132, 88), host_us=10), megakernel("C", budgets=(132, 44), host_us=10)]
    known = [record(contracts[0], "P", 1000)]
    for contract, whole, part, size in zip(
        contracts[1:], (1000, 1500, 1300, 1900), (1100, 2000, 1400, 2500), (88, 44, 88, 44), strict=True
    ):
        known += [record(contract, contract["members"][0], whole), record(contract, contract["members"][0], part, size)]
    pairs = [{"producer_ctas": 88, "consumer_ctas": 44}]
    return planned(contracts, known, policies=["serial", "dynamic", "partition"], budget_pairs=pairs, **fields)


def test_a_partition_beats_serial_order_and_splits() -> None:
    found = first(split_study())
    assert found.best[0] == "c:P+B/c:C@partition:88/44"
    assert score_us(found, found.best[0]) == 5400
    assert score_us(found, "c:P+B+C@serial") == 6500
    # 10 + 2 * 1300 on the whole device; then both are launched, one after the other: 20 + 2500 for the chunk, 10 + 2 * 1400 for the steps.
    assert score_us(found, "c:P/m:B/m:C@dynamic:88/44") == 1000 + 10 + 2600 + 10 + 2800


def test_sides_may_be_mixed() -> None:
    found = first(split_study())
    # The megakernel stays over the steps; the kernels of the chunk begin behind step 2.
    assert score_us(found, "c:P/m:B/c:C@partition:88/44") == 1000 + 10 + 2 * 1400 + max(2 * 1400, 2000)
    # The megakernel of the consumer is launched when the chunk is due, 10 us for its host part.
    assert score_us(found, "c:P/c:B/m:C@partition:88/44") == 1000 + 2 * 1100 + 10 + 2500


def test_a_split_says_what_it_takes_with_the_load_of_partitions() -> None:
    contracts = [conventional("P"), megakernel("B", budgets=(132, 88), host_us=0), megakernel("C", budgets=(132, 44), host_us=0)]
    known = [record(contracts[0], "P", 1000)]
    for contract, member, size, time in ((contracts[1], "B", 88, 1000), (contracts[2], "C", 44, 2000)):
        # Both ask for all of the bandwidth.
        known += [record(contract, member, time, budget, hbm_bytes=ALL_US * time) for budget in (132, size)]
    pairs = [{"producer_ctas": 88, "consumer_ctas": 44}]
    short = {"first_chunk": 2, "lookahead": 1}
    found = first(planned(contracts, known, policies=["dynamic", "fixed", "partition"], budget_pairs=pairs, stream=short))
    # Step 3 and the first half of the chunk take twice their time, and the other half is alone: 1000 + 2000 + 2000 + 1000.
    for policy in ("dynamic", "fixed"):
        assert score_us(found, f"c:P/m:B/m:C@{policy}:88/44") == 6000
        (row,) = (row for row in found.ranking if row.id == f"c:P/m:B/m:C@{policy}:88/44")
        # With the load the chunk takes twice its time to its end.
        assert [note for note in row.notes if "as on partitions, 7 ms" in note]
    assert score_us(found, "c:P/m:B/m:C@partition:88/44") == 7000


def test_load_behind_step_h_slows_the_chunk_and_gates_nothing() -> None:
    moved = (1000 * ALL_US, 2000 * ALL_US)
    quiet = kernels(1000, 2000, part_step_us=1000, part_chunk_us=2000, stream={"first_chunk": 2})
    busy = kernels(1000, 2000, part_step_us=1000, part_chunk_us=2000, moved=moved, stream={"first_chunk": 2})
    ends = {**STREAM, "lookahead": 0, "length_steps": 2}
    over = kernels(1000, 2000, part_step_us=1000, part_chunk_us=2000, moved=moved, stream=ends)
    name = "c:P/c:B/c:C@partition:88/44"
    assert score_us(first(quiet), name) == 1000 + 2 * 1000 + 2000
    # Both ask for all of the bandwidth all the time, so each runs at half its speed; step 3 and its like never end the wait.
    assert score_us(first(busy), name) == 1000 + 2 * 1000 + 2 * 2000
    assert score_us(first(over), name) == 1000 + 2 * 1000 + 2000


def test_a_partition_without_a_record_names_the_nearest() -> None:
    contracts = [conventional("P"), conventional("B"), conventional("C")]
    known = [record(one, one["members"][0], 1000) for one in contracts] + [record(contracts[2], "C", 2000, 44)]
    found = first(planned(contracts, known))
    (row,) = (row for row in found.excluded if row.id == "c:P/c:B/c:C@partition:88/44")
    (cause,) = row.causes
    assert cause.rule.code == "EVI-01"
    assert "budget" in cause.because
    assert "88" in cause.because
    assert "132" in cause.because


def test_unknown_bytes_are_refused_on_a_partition_as_under_a_split() -> None:
    contracts = [conventional("P"), conventional("B"), conventional("C")]
    known = [record(one, one["members"][0], 1000) for one in contracts]
    known += [record(contracts[1], "B", 1000, 88), record(contracts[2], "C", 2000, 44)]
    del known[-1]["hbm_bytes"]
    found = first(planned(contracts, known))
    (row,) = (row for row in found.excluded if row.id == "c:P/c:B/c:C@partition:88/44")
    assert [cause.rule.code for cause in row.causes] == ["EVI-02"]


@pytest.mark.parametrize(
    ("mechanism", "pair", "partition", "code"),
    [
        ("green_context", (90, 42), UNITS, "PAR-02"),
        ("green_context", (80, 52), UNITS, "PAR-03"),
        ("green_context", (88, 44), None, "PAR-01"),
        ("mig", (88, 44), UNITS, "PAR-01"),
        ("mig", (88, 44), {**UNITS, "mig_sizes_sms": (60, 64)}, "PAR-02"),
        ("mps", (88, 44), UNITS, "PAR-02"),
    ],
)
def test_a_partition_that_the_device_cannot_give_is_excluded(
    mechanism: str, pair: tuple[int, int], partition: Fields | None, code: str
) -> None:
    contracts = [conventional("P"), conventional("B"), conventional("C")]
    known = [record(one, one["members"][0], 1000) for one in contracts]
    known += [record(contracts[1], "B", 1000, pair[0]), record(contracts[2], "C", 2000, pair[1])]
    pairs = [{"producer_sms": pair[0], "consumer_sms": pair[1]}]
    found = first(planned(contracts, known, partition=partition, partition_pairs=pairs, partition_by=mechanism))
    (row,) = (row for row in found.excluded if row.id == f"c:P/c:B/c:C@partition:{pair[0]}/{pair[1]}")
    assert [cause.rule.code for cause in row.causes] == [code]


def test_mps_shares_are_whole_percentages_and_the_score_says_that_they_reserve_nothing() -> None:
    # 66 % of 132 SMs are 87.12, 34 % are 44.88.
    contracts = [conventional("P"), conventional("B"), conventional("C"), megakernel("B", budgets=(132, 87))]
    known = [record(one, one["members"][0], 1000) for one in contracts]
    known += [record(contracts[1], "B", 1000, 87), record(contracts[2], "C", 2000, 44), record(contracts[3], "B", 1000, 87)]
    pairs = [{"producer_sms": 87, "consumer_sms": 44}]
    found = first(planned(contracts, known, partition_pairs=pairs, partition_by="mps"))
    (row,) = (row for row in found.ranking if row.id == "c:P/c:B/c:C@partition:87/44")
    assert any("reserve nothing" in note for note in row.notes)
    (other,) = (row for row in found.excluded if row.id == "c:P/m:B/c:C@partition:87/44")
    assert "PAR-06" in {cause.rule.code for cause in other.causes}


def test_ranges_of_partitions_are_tried_and_the_note_names_what_has_no_record() -> None:
    contracts = [conventional("P"), conventional("B"), conventional("C")]
    known = [record(one, one["members"][0], 1000) for one in contracts]
    known += [record(contracts[1], "B", time, sms) for sms, time in ((80, 1200), (88, 1100))]
    known += [record(contracts[2], "C", time, sms) for sms, time in ((52, 1500), (44, 2000))]
    sizes = {**UNITS, "sizes_sms": (72, 80, 88)}
    pairs = [{"producer_sms": {"from": 72, "to": 88, "step": 8}, "consumer_sms": "rest"}]
    found = first(planned(contracts, known, partition=sizes, partition_pairs=pairs))
    assert found.best[0].endswith("@partition:88/44")
    assert any(note.startswith("of 3 partitions 72..88/8/rest 2 can be ranked, the best is 88/44") for note in found.notes)


def test_a_steady_cycle_takes_the_longer_side() -> None:
    asked = kernels(1000, 1500, part_step_us=1100, part_chunk_us=2000, stream={**STREAM, "next_chunk": 2}, objective="chunk_interval")
    found = first(asked)
    name = "c:P/c:B/c:C@partition:88/44"
    assert score_us(found, name) == max(2 * 1100, 2000)
    assert score_us(first(asked, objective=Objective.PRODUCER_STEP), name) == 1100


def test_a_partition_is_explained_as_any_candidate() -> None:
    found = explain(kernels(1000, 1500, part_step_us=1100, part_chunk_us=2000), "c:P/c:B/c:C@partition:88/44")
    assert isinstance(found, Explanation)
    assert found.branches is not None
    assert [segment.label for segment in found.segments] == ["P", "B", "B", "B"]
    assert found.branches.bound_by == "producer"


def test_graphs_dispatch_once_for_each_occurrence_and_the_host_issues_the_step_before_the_chunk() -> None:
    graph = {**GRAPH, "host_us": 5, "host_waits": True}
    contracts = [conventional("P"), conventional("B", dispatch=graph), conventional("C", dispatch=graph)]
    known = [record(one, one["members"][0], 1000) for one in contracts]
    known += [record(contracts[1], "B", 100, 88), record(contracts[2], "C", 1000, 44)]
    found = first(planned(contracts, known, stream={"first_chunk": 2, "lookahead": 1}))
    # Two steps of 5 + 100; then the host launches step 3, and only then the chunk.
    assert score_us(found, "c:P/c:B/c:C@partition:88/44") == 1000 + 2 * 105 + 5 + 5 + 1000


def test_a_prefill_beside_decode_steps_says_what_each_side_pays() -> None:
    # A decode step of 5,000 us, 5,800 on a part; a chunk of prefill of 30,000 us, 100,000 on the rest; ten steps until it can begin.
    contracts = [conventional("P"), conventional("B"), conventional("C")]
    known = [record(contracts[0], "P", 1), record(contracts[1], "B", 5_000), record(contracts[2], "C", 30_000)]
    known += [record(contracts[1], "B", 5_800, 88, hbm_bytes=5_800 * ALL_US), record(contracts[2], "C", 100_000, 44, hbm_bytes=0)]
    found = first(planned(contracts, known, stream={"first_chunk": 1, "lookahead": 5}))
    assert score_us(found, "c:P/c:B/c:C@serial") == 1 + 6 * 5_000 + 30_000
    (row,) = (row for row in found.ranking if row.id == "c:P/c:B/c:C@partition:88/44")
    assert row.notes == (
        "a step takes 5.8 ms on 88 SMs, 5 ms on all 132: +16.00 %",
        "a chunk takes 100 ms on 44 SMs, 30 ms on all 132: +233.33 %",
    )


def test_a_side_says_how_far_the_traffic_of_the_other_one_delays_it() -> None:
    moved = (1000 * ALL_US, 2000 * ALL_US)
    found = first(kernels(1000, 2000, part_step_us=1000, part_chunk_us=2000, moved=moved, stream={"first_chunk": 2}))
    (row,) = (row for row in found.ranking if row.id == "c:P/c:B/c:C@partition:88/44")
    assert row.notes[-1] == "memory traffic of the other side delays first chunk by 2 ms"


def test_what_a_side_takes_on_the_whole_device_may_not_be_known() -> None:
    contracts = [conventional("P"), conventional("B"), conventional("C")]
    known = [record(contracts[0], "P", 1000), record(contracts[1], "B", 1100, 88), record(contracts[2], "C", 2000, 44)]
    (row, _) = first(planned(contracts, known)).ranking
    assert row.notes[0] == "a step takes 1.1 ms on 88 SMs; what it takes on all 132 is not known"


def test_what_a_side_takes_holds_the_gaps_before_its_kernels() -> None:
    graph = {**GRAPH, "gap_us": 100}
    contracts = [conventional("P"), conventional("B", dispatch=graph), conventional("C", kernels=3, dispatch=graph)]
    known = [record(one, one["members"][0], 1000) for one in contracts]
    known += [record(contracts[1], "B", 1900, 88), record(contracts[2], "C", 2000, 44)]
    (row,) = (row for row in first(planned(contracts, known)).ranking if row.id == "c:P/c:B/c:C@partition:88/44")
    assert row.notes[:2] == (
        "a step takes 2 ms on 88 SMs, 1.1 ms on all 132: +81.82 %",
        "a chunk takes 2.3 ms on 44 SMs, 1.3 ms on all 132: +76.92 %",
    )


def test_the_files_of_a_spec_with_partitions_are_checked_as_one(tmp_path: Path) -> None:
    device = (CHECKOUT / "tests/fixtures/rules/device_partitioned.yaml").read_text(encoding="utf-8").replace("example_gpu", "h100")
    contracts = [conventional("P"), conventional("B"), conventional("C")]
    known = [record(one, one["members"][0], 1000) for one in contracts]
    known += [record(contracts[1], "B", 1100, 88), record(contracts[2], "C", 2000, 44), record(contracts[2], "C", 2000, 88)]
    groups = [group("P", "admission"), group("B", "producer"), group("C", "consumer")]
    pair = {"producer_sms": {"from": 124, "to": 60, "step": 4}, "consumer_sms": "rest"}
    asked = spec(groups, policies=["serial", "partition"], partition_pairs=[PAIR, PAIR, pair], stream=STREAM, device="device.yaml")
    files = {
        "device.yaml": device,
        "spec.yaml": json.dumps(asked),
        "records.yaml": json.dumps({"megasolve": "records/v1", "records": known}),
    }
    files |= {f"contracts/{one['entry']}.yaml": json.dumps(one) for one in contracts}
    (tmp_path / "contracts").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = {finding.rule.code: finding.message for finding in check_paths([tmp_path / "spec.yaml"]).findings}
    assert found["SPC-05"] == "88/rest is pair 1 of the list already; remove one of the two"
    assert "from 124 to 60 is empty" in found["SPC-18"]
    # Kernels of the consumer have 44 SMs, not those of the producer.
    assert found["REC-14"].startswith("88 CTAs is no budget of 'C_graph'")


def green_contexts(*further: Fields) -> Study:
    """C99: decode steps of 5.8 ms on 128 SMs and a prefill of 100 ms on the other 42 for every 17 of them, each timed alone on its part."""
    decode, prefill = conventional("D"), conventional("P")
    known = [record(decode, "D", 5_800, 128), record(prefill, "P", 100_000, 42), *further]
    groups = [group("D", "producer"), group("P", "consumer")]
    asked = spec(
        groups,
        policies=["serial", "partition"],
        partition_pairs=[{"producer_sms": 128, "consumer_sms": "rest"}],
        stream={"first_chunk": 1, "next_chunk": 17},
        objective="chunk_interval",
    )
    return study(asked, [decode, prefill], known, sms=170, partition={**UNITS, "sizes_sms": (128,)})


def test_c99_two_green_contexts_are_planned_from_records_of_each_alone_and_serial_is_unknown() -> None:
    found = first(green_contexts())
    assert found.best == ("c:D/c:P@partition:128/42",)
    # 17 steps are 98.6 ms, and hide under the prefill; a split that only co-run times know of would have said 100 + 98.6.
    assert score_us(found, found.best[0]) == 100_000
    assert score_us(first(green_contexts(), objective=Objective.PRODUCER_STEP), found.best[0]) == 5_800
    assert [note for note in found.ranking[0].notes if "not known" in note] == [
        "a step takes 5.8 ms on 128 SMs; what it takes on all 170 is not known",
        "a chunk takes 100 ms on 42 SMs; what it takes on all 170 is not known",
    ]
    serial = next(row for row in found.excluded if row.id == "c:D/c:P@serial")
    assert [cause.rule.code for cause in serial.causes] == ["EVI-01", "EVI-01"]
    assert "budget_ctas: 128 against 170" in serial.causes[0].because


def test_c99_a_record_on_the_whole_device_is_what_serial_order_needs() -> None:
    decode, prefill = conventional("D"), conventional("P")
    found = first(green_contexts(record(decode, "D", 5_000, 170), record(prefill, "P", 30_000, 170)))
    assert score_us(found, "c:D/c:P@serial") == 17 * 5_000 + 30_000
    assert found.best == ("c:D/c:P@partition:128/42",)
