"""The command `explain`: ranked, excluded and unknown candidates."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction

import pytest

from tests.support.command import CHECKOUT, megasolve

SPEC = "specs/nh_tts.yaml"
BEST = "m:P/m:B+L/m:C@dynamic:88/44"
GAPS = "tests/cli/fixtures/gaps.yaml"


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)


def test_a_ranked_candidate_is_explained(golden: Callable[[str, str], None]) -> None:
    golden("explain_worked_example.txt", megasolve("explain", "specs/worked_example.yaml", BEST).stdout)


def test_a_design_of_a_graph_with_repeated_layers_is_drawn_and_explained(golden: Callable[[str, str], None]) -> None:
    golden("explain_omni.txt", megasolve("explain", "specs/omni.yaml", "m:V+A/c:P/m:T+M/m:R+H/c:C/c:X@serial").stdout)


@pytest.mark.parametrize("candidate", [BEST, "c:P/c:B/c:L/c:C@serial", "m:P+B+L/m:C@fixed:88/44"])
def test_the_critical_path_sums_exactly_to_the_score(candidate: str) -> None:
    told = json.loads(megasolve("explain", SPEC, candidate, "--batch", "32", "--format", "json").stdout)
    assert sum(Fraction(segment["elapsed_ps"]) for segment in told["critical_path"]) == Fraction(told["score_ps"])
    assert "exactly the score" in megasolve("explain", SPEC, candidate, "--batch", "32").stdout


def test_c45_the_largest_group_is_named() -> None:
    assert "largest group: B, 53.61 % of all service" in megasolve("explain", SPEC, BEST, "--batch", "32").stdout


def test_c72_each_group_is_compared_and_not_only_the_total() -> None:
    told = json.loads(megasolve("explain", SPEC, BEST, "--batch", "32", "--format", "json").stdout)
    given = {part["group"]: (part["given_us"], part["path_us"]) for part in told["groups"]}
    assert given == {
        "P": ("7601.000000", "7601.000000"),
        "B": ("23780.000000", "24001.000000"),
        "L": ("10768.000000", "10768.000000"),
        "C": ("2210.000000", "0.000000"),
    }


def test_the_branch_that_waits_has_its_slack() -> None:
    assert "producer-bound: the consumer has 2.291 ms of slack" in megasolve("explain", SPEC, BEST, "--batch", "32").stdout


def test_each_record_stands_with_its_place_and_its_provenance() -> None:
    told = json.loads(megasolve("explain", SPEC, BEST, "--batch", "32", "--format", "json").stdout)
    assert len(told["records"]) == 6
    assert all(record["place"].startswith("specs/nh_tts/records/batch_32.yaml:") for record in told["records"])
    assert {record["provenance"]["kind"] for record in told["records"]} == {"reconstructed"}


@pytest.mark.parametrize("form", ["table", "json"])
def test_an_excluded_candidate_gives_every_cause_and_exits_with_0(form: str) -> None:
    result = megasolve("explain", GAPS, "c:B/c:C@serial", "--batch", "2", "--format", form)
    assert result.exit_code == 0
    assert all(text in result.stdout for text in ("MEM-02", "EVI-01", "no conventional contract runs group C"))


@pytest.mark.parametrize("form", ["table", "json"])
def test_an_unknown_id_gives_the_nearest_ones_and_exits_with_1(form: str) -> None:
    result = megasolve("explain", SPEC, "m:P/m:B+L/m:C@dynamic:88/45", "--batch", "32", "--format", form)
    assert result.exit_code == 1
    assert BEST in result.stdout


def test_a_spec_with_several_batches_needs_one() -> None:
    result = megasolve("explain", SPEC, BEST)
    assert result.exit_code == 2
    assert "say --batch with one of 1, 32, 64" in result.stderr


def test_an_explanation_rests_on_the_objective_that_was_asked_for() -> None:
    told = json.loads(megasolve("explain", SPEC, BEST, "--batch", "32", "--objective", "producer_step", "--format", "json").stdout)
    assert told["objective"] == "producer_step"
    assert told["branches"] is None
