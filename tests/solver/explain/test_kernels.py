"""What a region spends on which kernels: the longest first, equal ones as one with their count."""

from __future__ import annotations

import json
from typing import Any

from megasolve.contracts import Study
from megasolve.report import explanation_json, explanation_text
from megasolve.solver import Explanation, explain
from tests.support.planning.studies import conventional, group, megakernel, record, spec, study

SERIAL = {"publication": {"group": "B", "step": 3}, "policies": ["serial"]}


def kernels_of(*kernels: tuple[str, float, dict[str, Any]]) -> Study:
    """Return a study of one group whose call is these kernels, in order: entry, time of a call in microseconds, more of its contract."""
    contracts = [conventional("B", entry=entry, order=order, **more) for order, (entry, _, more) in enumerate(kernels)]
    known = [record(one, "B", us, context={"launch": {}}) for one, (_, us, _) in zip(contracts, kernels, strict=True)]
    return study(spec([group("B", "producer")], **SERIAL), contracts, known)


def explained(asked: Study, candidate: str = "c:B@serial") -> Explanation:
    found = explain(asked, candidate)
    assert isinstance(found, Explanation)
    return found


def record_lines(found: Explanation, *, show_entries: bool = False) -> list[str]:
    told = explanation_text(found, spec="model", device="h100", show_entries=show_entries)
    return told.partition("records, by region and time:\n")[2].splitlines()


def test_the_longest_kernel_comes_first_whatever_the_order_of_the_files() -> None:
    (region,) = explained(kernels_of(("a", 5, {}), ("b", 70, {}), ("c", 20, {}))).regions
    assert [(one.usages[0].contract.entry, one.spent_ps) for one in region.kernels] == [
        ("b", 210 * 10**6),
        ("c", 60 * 10**6),
        ("a", 15 * 10**6),
    ]


def test_kernels_with_equal_records_are_one_line_with_their_count() -> None:
    found = explained(kernels_of(*((f"k{index}", 10, {}) for index in range(5)), ("other", 11, {})))
    (region,) = found.regions
    assert [(len(one.usages), one.calls, one.spent_ps) for one in region.kernels] == [(5, 15, 150 * 10**6), (1, 3, 33 * 10**6)]
    lines = record_lines(found)
    assert lines[0] == "  c:B: 183.000 µs"
    assert lines[1] == (
        "    B on conventional in 5 equal entries (k0, k1, k2 and 2 more), 132 CTAs: 15 calls of 10.000 µs = 150.000 µs, 81.97 %, "
        "0 HBM bytes a call"
    )
    assert lines[2].startswith("      records.yaml:1:")
    assert " and 4 more  profiled" in lines[2]
    assert len(lines) == 5


def test_launches_of_one_kernel_of_a_profile_are_equal_although_their_times_differ() -> None:
    seen = {"observed": {"kernels": ["gemm"]}, "kernels": 4}
    found = explained(kernels_of(("gemm", 10, seen), ("gemm_2", 12, seen), ("gemm_3", 11, {**seen, "grid_ctas": 7})))
    assert [len(one.usages) for one in found.regions[0].kernels] == [2, 1]
    assert "6 calls of 10.000 µs to 12.000 µs (24 launches) = 66.000 µs" in record_lines(found)[1]


def test_many_kernels_are_cut_to_the_longest_unless_all_are_asked_for() -> None:
    found = explained(kernels_of(*((f"k{index:02}", 1 + index, {}) for index in range(30))))
    short, every = record_lines(found), record_lines(found, show_entries=True)
    assert (len(short), len(every)) == (1 + 2 * 20 + 1, 1 + 2 * 30)
    assert short[-1] == "    ... 10 shorter kernels, 165.000 µs in all, all of them with --entries"
    assert "'k29'" in short[1]


def test_regions_stand_in_their_order_and_a_kernel_that_is_alone_has_no_share() -> None:
    stage, codec = megakernel("P", host_us=0), conventional("B")
    asked = spec([group("P", "admission"), group("B", "producer")], **SERIAL)
    found = explained(study(asked, [stage, codec], [record(stage, "P", 1), record(codec, "B", 2)]), "m:P/c:B@serial")
    assert [line for line in record_lines(found) if "%" in line] == []
    assert [region.region for region in found.regions] == ["m:P", "c:B"]


def test_json_has_them_beside_the_records_in_file_order() -> None:
    found = explained(kernels_of(("a", 5, {}), ("b", 70, {}), ("c", 5, {})))
    told = json.loads(explanation_json(found, spec="model", device="h100"))
    assert [one["entry"] for one in told["records"]] == ["a", "b", "c"]
    (region,) = told["regions"]
    assert [(one["entries"], one["calls"], one["spent_us"]) for one in region["kernels"]] == [
        (["b"], 3, "210.000000"),
        (["a", "c"], 6, "30.000000"),
    ]
