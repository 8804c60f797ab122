"""The command `sweep`: every form of its result, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from megasolve.report.schemas import schema_json
from tests.support.command import CHECKOUT, megasolve
from tests.support.judges.result_schemas import fits

NH_TTS = "specs/nh_tts.yaml"
WORKED = "specs/worked_example.yaml"
VARY = ("--vary", "contracts[B+L].dispatch.host_us=0..4000/4")


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)


def test_a_sweep_over_batches_as_a_table(golden: Callable[[str, str], None]) -> None:
    golden("nh_tts_batches.txt", megasolve("sweep", NH_TTS, "--plot").stdout)


def test_without_a_megakernel_nothing_is_said_of_what_one_saves() -> None:
    shown = megasolve("sweep", "specs/published/cosyvoice.yaml")
    assert shown.exit_code == 0, shown.stderr
    assert "cannot be told: no design with megakernels can be ranked at batch 1" in shown.stdout
    assert "what each megakernel saves" not in shown.stdout


def test_a_sweep_over_a_field_as_a_table(golden: Callable[[str, str], None]) -> None:
    golden("worked_example_field.txt", megasolve("sweep", WORKED, *VARY, "--plot").stdout)


def test_a_sweep_in_markdown(golden: Callable[[str, str], None]) -> None:
    golden("worked_example_field.md", megasolve("sweep", WORKED, *VARY, "--format", "markdown").stdout)


def test_json_holds_every_region_and_sums_exactly() -> None:
    found = json.loads(megasolve("sweep", NH_TTS, "--format", "json").stdout)
    (batches,) = found["batches"]
    assert (found["megasolve"], found["set"], batches["category"]["name"]) == ("sweep/v1", [], "stable")
    assert [(one["last"], one["first"]) for one in batches["changes"]] == [(1, 32)]
    assert len(batches["savings"]) == 30
    for one in batches["savings"]:
        total = sum(Fraction(each["saving_ps"]) for each in one["mechanisms"]) - Fraction(one["fixed_ps"])
        assert total == Fraction(one["difference_ps"]) == Fraction(one["without"]["score_ps"]) - Fraction(one["with"]["score_ps"])
        assert isinstance(one["difference_us"], float)


def test_json_says_of_what_it_was_made(tmp_path: Path) -> None:
    file = tmp_path / "sweep.json"
    assert megasolve("sweep", WORKED, *VARY, "-o", str(file)).stdout == ""
    found = json.loads(file.read_text())
    assert found["inputs"][0]["path"] == WORKED
    assert found["options"]["ranges"] == [VARY[1]]
    assert [(one["last_text"], one["first_text"], one["exact"]) for one in found["fields"][0]["changes"]] == [
        ("1999.999999", "2000", True),
        ("2000", "2000.000001", True),
    ]


@pytest.mark.parametrize(
    "words", [(NH_TTS, "--batch", "32", "--robust", "--accuracy", "0.1"), (WORKED, *VARY, "--set", "stream.lookahead=2")]
)
def test_json_is_as_its_schema_says(words: tuple[str, ...]) -> None:
    assert fits(json.loads(schema_json("sweep")), json.loads(megasolve("sweep", *words, "--format", "json").stdout))


def test_csv_has_a_row_for_each_plan_saving_and_change() -> None:
    rows = list(csv.DictReader(io.StringIO(megasolve("sweep", NH_TTS, "--format", "csv").stdout)))
    assert [row["status"] for row in rows] == ["plan"] * 3 + ["change", "category"] + ["saving"] * 30


def test_several_objectives_are_swept_one_by_one() -> None:
    words = ("--objective", "first_publication", "--objective", "producer_step", "--format", "json")
    found = json.loads(megasolve("sweep", NH_TTS, *words).stdout)
    assert [(one["objective"], one["category"]["name"]) for one in found["batches"]] == [
        ("first_publication", "stable"),
        ("producer_step", "stable"),
    ]


def test_what_was_set_is_said() -> None:
    assert "WHAT IF stream.lookahead = 0: " in megasolve("sweep", NH_TTS, "--batch", "32", "--set", "stream.lookahead=0").stdout


@pytest.mark.parametrize(
    ("words", "because"),
    [
        (("--vary", "stream.lookahed=0..2"), "--vary 'stream.lookahed' names no field: no 'lookahed'; did you mean 'lookahead'?"),
        (("--vary", "stream.lookahead=2"), "--vary 'stream.lookahead=2' is no range: write PATH=A..B or PATH=A..B/STEPS"),
        (("--vary", "precision=1..2"), "--vary 'precision' is no number"),
        (("--vary", "stream.lookahead=-2..2"), "--vary stream.lookahead: found -2, expected a whole number, 0 or more"),
        (("--batch", "7"), "--batch 7 is not in the list of the spec: 1, 32, 64"),
        (("--objective", "chunk_interval"), "needs stream.next_chunk"),
        (("-o", "/nowhere/sweep.json"), "cannot write /nowhere/sweep.json"),
        (("-o", NH_TTS), "the result would replace specs/nh_tts.yaml"),
    ],
)
def test_what_cannot_be_swept_is_refused(words: tuple[str, ...], because: str) -> None:
    result = megasolve("sweep", NH_TTS, *words)
    assert result.exit_code == 2
    assert because in result.stderr
    assert not result.stdout


def test_a_range_that_breaks_a_rule_says_which() -> None:
    result = megasolve("sweep", WORKED, "--vary", "device.hbm_sustained_bytes_per_s=1e12..1e13")
    assert result.exit_code == 2
    assert "DEV-03" in result.stderr
    assert "with the values of --vary cannot be used" in result.stderr


def test_robustness_as_a_table(golden: Callable[[str, str], None]) -> None:
    golden("worked_example_robust.txt", megasolve("sweep", WORKED, "--robust", "--accuracy", "0.3").stdout)


def test_robustness_in_json_has_every_time_and_the_field_that_states_it() -> None:
    (robust,) = json.loads(megasolve("sweep", WORKED, "--robust", "--format", "json").stdout)["robustness"]
    assert (robust["times"], robust["times_that_state_an_accuracy"], robust["chances"]) == (7, 0, [])
    above = {one["path"]: one["above"] for one in robust["flips"]}["records[group=C,entry=C,budget=44,batch=32].duration_us"]
    assert (above["time_ps"], above["best"]) == (9_900_000_001, ["m:P/m:B+L/m:C@serial"])
    set_to = megasolve(WORKED, "--set", "records[group=C,entry=C,budget=44,batch=32].duration_us=9900.000001", "--format", "json")
    assert json.loads(set_to.stdout)["results"][0]["best"] == above["best"]


def test_robustness_in_csv_has_a_row_for_each_flip_and_chance() -> None:
    rows = list(csv.DictReader(io.StringIO(megasolve("sweep", WORKED, "--robust", "--accuracy", "0.3", "--format", "csv").stdout)))
    assert {"plan", "category", "saving", "chance", "flip", "measure next"} == {row["status"] for row in rows}


@pytest.mark.parametrize(
    ("words", "because"),
    [
        (("--robust", "--accuracy", "1"), "1 is not above 0 and below 1; 0.05 is 5 %"),
        (("--robust", "--accuracy", "nan"), "'nan' is no number"),
        (("--robust", "--accuracy", "1/0"), "'1/0' is no number"),
        (("--accuracy", "0.05"), "say --robust, too"),
        (("--robust", "--draws", "0"), "--draws"),
        (("--robust", *VARY), "--robust is of the batches: leave out --vary"),
    ],
)
def test_what_robustness_cannot_be_asked_is_refused(words: tuple[str, ...], because: str) -> None:
    result = megasolve("sweep", WORKED, *words)
    assert result.exit_code == 2
    assert because in result.stderr


def test_where_nothing_is_feasible_a_sweep_says_so_and_fails() -> None:
    none = ("--where", "megakernels<=0")
    for words in (("--robust",), ("--vary", "stream.lookahead=0..2")):
        result = megasolve("sweep", WORKED, *none, *words)
        assert result.exit_code == 1
        assert "nothing is feasible" in result.stdout
        assert "the best design is the same" not in result.stdout
