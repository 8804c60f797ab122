"""The option --set: another value than the files have, labelled in every form of the result."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.support.command import CHECKOUT, megasolve

SPEC = "specs/worked_example.yaml"
SET = ("--set", "records[group=B].duration_us=100", "--set", "stream.lookahead=2")
LABELS = (
    "WHAT IF records[group=B].duration_us = 100: 2 fields from specs/worked_example/records.yaml:10:37 on have 3000, 4500",
    "WHAT IF stream.lookahead = 2: specs/worked_example.yaml:27:47 has 1",
)


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)


def test_a_table_says_in_its_head_what_was_set() -> None:
    lines = megasolve(SPEC, *SET).stdout.splitlines()
    assert lines[1:3] == list(LABELS)
    assert any("what if" in line for line in lines if " m:P/m:B+L/m:C@" in line)


def test_markdown_says_what_was_set() -> None:
    assert f"> **{LABELS[1]}**" in megasolve(SPEC, *SET, "--format", "markdown").stdout.splitlines()


def test_each_row_of_a_csv_says_what_was_set() -> None:
    rows = list(csv.DictReader(io.StringIO(megasolve(SPEC, *SET, "--format", "csv").stdout)))
    assert {row["set"] for row in rows} == {"records[group=B].duration_us = 100; stream.lookahead = 2"}


def test_json_has_every_field_that_was_set_and_what_its_file_has() -> None:
    result = json.loads(megasolve(SPEC, *SET, "--format", "json").stdout)
    first, second = result["set"]
    assert (first["path"], first["value"], [field["before"] for field in first["fields"]]) == (
        "records[group=B].duration_us",
        "100",
        ["3000", "4500"],
    )
    assert second["fields"] == [{"file": SPEC, "path": "$.stream.lookahead", "before": "1"}]


def test_setting_what_the_file_has_changes_no_number() -> None:
    plain, asked = (megasolve(SPEC, *words, "--format", "json").stdout for words in ((), ("--set", "stream.lookahead=1")))
    assert json.loads(plain)["results"] == json.loads(asked)["results"]
    assert "set" not in json.loads(plain)


@pytest.mark.parametrize(
    ("setting", "because"),
    [
        ("stream.lookahed=2", "--set 'stream.lookahed' names no field: no 'lookahed'; did you mean 'lookahead'?"),
        ("stream.lookahead=-2", "--set stream.lookahead: found -2, expected a whole number, 0 or more"),
        ("stream.lookahead", "--set 'stream.lookahead' sets nothing: write PATH=VALUE"),
        ("device.hbm_sustained_bytes_per_s=9e12", "with --set device.hbm_sustained_bytes_per_s=9e12 cannot be used until these findings"),
    ],
)
def test_what_cannot_be_set_is_refused_in_one_line(setting: str, because: str) -> None:
    result = megasolve(SPEC, "--set", setting)
    assert result.exit_code == 2
    assert because in result.stderr
    assert not result.stdout


def test_solve_for_says_where_the_answer_turns_in_every_form() -> None:
    words = (SPEC, "--solve-for", "contracts[B+L].dispatch.host_us")
    above = "above: from 2000 on it is m:P/m:B+L/m:C@serial = m:P/m:B+L/m:C@dynamic:88/44; m:P/m:B+L/m:C@dynamic:88/44 still at 1999.999999"
    assert above in megasolve(*words).stdout
    assert f"  - {above}" in megasolve(*words, "--format", "markdown").stdout.splitlines()
    rows = [row for row in csv.DictReader(io.StringIO(megasolve(*words, "--format", "csv").stdout)) if row["status"] == "solve for"]
    assert [row["notes"].endswith(above) for row in rows] == [False, True]
    (found,) = json.loads(megasolve(*words, "--format", "json").stdout)["solve_for"]
    assert (found["now"], found["below"], found["above"]["first_text"], found["above"]["exact"]) == (100, None, "2000", True)


def test_solve_for_finds_the_value_of_a_record_beside_memory_traffic() -> None:
    path = "records[group=C,entry=C,budget=44,batch=32].duration_us"
    (found,) = json.loads(megasolve("specs/nh_tts.yaml", "--batch", "32", "--solve-for", path, "--format", "json").stdout)["solve_for"]
    below = found["below"]
    assert (below["last_text"], below["first_text"], below["after"]) == ("957.407116", "957.407115", ["m:P/m:B+L/m:C@dynamic:80/52"])
    again = json.loads(megasolve("specs/nh_tts.yaml", "--batch", "32", "--set", f"{path}=957.407115", "--format", "json").stdout)
    assert again["results"][0]["best"] == below["after"]


@pytest.mark.parametrize(
    ("words", "because"),
    [
        (("--solve-for", "precision"), "--solve-for 'precision' is no number"),
        (("--solve-for", "stream.lookahed"), "did you mean 'lookahead'?"),
        (("--solve-for", "records.duration_us"), "7 fields with different values: select one of them"),
        (("--solve-for", "stream.lookahead", "--ablation", "additive"), "--solve-for is of the full planner"),
    ],
)
def test_what_cannot_be_solved_for_is_refused(words: tuple[str, ...], because: str) -> None:
    result = megasolve(SPEC, *words)
    assert result.exit_code == 2
    assert because in result.stderr
