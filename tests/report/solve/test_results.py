"""Results as JSON and CSV: complete, exact, in a fixed order."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from megasolve.contracts import load_spec
from megasolve.report import solve_csv, solve_json
from megasolve.report.solve.json import row_facts
from megasolve.report.solve.standings import landmarks, standings
from megasolve.report.solve.wording import too_close_lines
from megasolve.solver import Result, solve
from tests.support.command import CHECKOUT, FIXTURES

BATCH_KEYS = [
    "batch",
    "objective",
    "ablation",
    "covers",
    "candidates",
    "space",
    "simulated",
    "proven",
    "gap",
    "ties",
    "excluded_by",
    "best",
    "ranking",
    "excluded",
    "too_close",
    "notes",
    "steps",
    "entries",
]
ROW_KEYS = [
    "id",
    "place",
    "score_us",
    "score_ps",
    "difference",
    "cover",
    "policy",
    "entries",
    "evidence",
    "accuracy",
    "accuracy_is_partial",
    "same_as",
    "variants",
    "notes",
    "slower_variants",
    "dropped_variants",
    "records",
]


@pytest.fixture(scope="module")
def nh_tts() -> Result:
    return solve(load_spec(CHECKOUT / "specs/nh_tts.yaml"))


@pytest.fixture(scope="module")
def gaps() -> Result:
    return solve(load_spec(FIXTURES / "gaps.yaml"))


def told(result: Result) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(solve_json(result))
    return value


def test_no_accuracy_is_never_a_partial_one(nh_tts: Result) -> None:
    row = nh_tts.results[0].ranking[0]
    facts = row_facts(replace(row, accuracy=None, accuracy_is_partial=True))
    assert (facts["accuracy"], facts["accuracy_is_partial"]) == (None, False)


def test_keys_come_in_a_fixed_order(nh_tts: Result) -> None:
    value = told(nh_tts)
    assert list(value) == ["megasolve", "spec", "device", "without", "results"]
    assert [list(batch) for batch in value["results"]] == [BATCH_KEYS] * 3
    assert all(list(row) == ROW_KEYS for batch in value["results"] for row in batch["ranking"])


def test_json_says_what_the_result_says(nh_tts: Result) -> None:
    for batch, shown in zip(nh_tts.results, told(nh_tts)["results"], strict=True):
        assert [row["id"] for row in shown["ranking"]] == [row.id for row in batch.ranking]
        assert [Fraction(row["score_ps"]) for row in shown["ranking"]] == [Fraction(row.score_ps) for row in batch.ranking]
        assert shown["best"] == list(batch.best)
        assert shown["notes"] == list(batch.notes)


def test_a_score_that_is_no_whole_number_is_a_quotient_and_its_microseconds_are_rounded(nh_tts: Result) -> None:
    rows = [row for batch in told(nh_tts)["results"] for row in batch["ranking"]]
    quotients = [row for row in rows if isinstance(row["score_ps"], str)]
    assert quotients
    assert all("/" in row["score_ps"] for row in quotients)
    assert all(abs(Fraction(row["score_us"]) * 10**6 - Fraction(row["score_ps"])) <= Fraction(1, 2) for row in rows)


def test_every_candidate_is_ranked_or_excluded_with_a_cause(gaps: Result) -> None:
    for batch in told(gaps)["results"]:
        assert len(batch["ranking"]) + len(batch["excluded"]) == batch["candidates"]
        assert all(row["causes"] for row in batch["excluded"])
        assert all(list(cause) == ["rule", "name", "because", "subject"] for row in batch["excluded"] for cause in row["causes"])


def test_csv_has_a_row_for_every_candidate_of_every_batch(gaps: Result) -> None:
    rows = list(csv.DictReader(io.StringIO(solve_csv(gaps))))
    assert len(rows) == sum(batch.candidates for batch in gaps.results)
    assert {row["status"] for row in rows} == {"ranked", "excluded"}
    assert all(bool(row["causes"]) is (row["status"] == "excluded") for row in rows)
    excluded = next(one for one in gaps.results[1].excluded if len(one.causes) > 1)
    listed = next(row["causes"] for row in rows if row["batch"] == "2" and row["id"] == excluded.id)
    assert listed == "; ".join(map(str, excluded.causes))


def test_rows_of_equal_score_share_a_place() -> None:
    result = solve(load_spec(CHECKOUT / "specs/equal_partitions.yaml")).results[0]
    places = [standing.place for standing in standings(result)]
    assert places[: len(result.best)] == [1] * len(result.best)
    assert places[len(result.best) :][:1] in ([], [len(result.best) + 1])
    assert {standing.difference for standing in standings(result)[: len(result.best)]} == {Fraction(0)}


def test_the_landmarks_are_the_best_of_their_kind(nh_tts: Result) -> None:
    for batch in nh_tts.results:
        found = {kind: id_ for id_, kinds in landmarks(standings(batch)).items() for kind in kinds.split(", ")}
        assert list(found) == ["best serial one", "one megakernel", "all conventional"]
        assert found["all conventional"] == "c:P/c:B/c:L/c:C@serial"
        assert found["one megakernel"].startswith("m:P+B+L+C@")
        assert found["best serial one"] == "m:P/m:B+L/m:C@serial"


def test_one_row_can_be_several_landmarks_and_serial_is_none_where_nothing_is_split() -> None:
    ranked = standings(solve(load_spec(CHECKOUT / "specs/equal_partitions.yaml")).results[0])
    assert landmarks(ranked) == {"m:P+B+L+C@serial": "one megakernel"}


def test_many_rivals_within_the_accuracy_are_counted_and_not_all_listed(nh_tts: Result) -> None:
    batch = nh_tts.results[1]
    ranked = standings(batch)
    rivals = tuple(one.row.id for one in ranked[1:] if one.row.same_as is None)
    lines = too_close_lines(replace(batch, too_close=rivals), ranked)
    assert len(lines) == 6
    assert lines[-1] == f"too close to call: {len(rivals) - 5} more designs"
