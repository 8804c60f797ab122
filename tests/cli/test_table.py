"""The command `table`, and the options that `solve` and `explain` share with it."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from megasolve.cli.words.derivation import MECHANISMS
from megasolve.contracts import PS_PER_US
from megasolve.simulate.expand.setup import Mechanisms
from tests.support.command import CHECKOUT, environment, megasolve
from tests.support.disk.derived_files import FUSED, SPEC, write_steps

EXAMPLES = "tests/fixtures/tile_examples.yaml"


@pytest.fixture
def steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write the spec of one step and stand in its folder, so that the texts name no folder."""
    write_steps(tmp_path)
    monkeypatch.chdir(tmp_path)
    return "steps.yaml"


def told(*words: str) -> dict[str, Any]:
    result = megasolve(*words, "--format", "json")
    assert result.exit_code == 0, result.stderr
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def rows(*words: str) -> dict[tuple[str, int, int], dict[str, Any]]:
    return {(row["entry"], row["budget_ctas"], row["batch"]): row for row in told("table", *words)["rows"]}


def test_a_table_for_a_person(steps: str, golden: Callable[[str, str], None]) -> None:
    golden("table_steps.txt", megasolve("table", steps).stdout)


def test_rows_without_a_time_say_why_below_the_table(steps: str, golden: Callable[[str, str], None]) -> None:
    Path("contracts/fused.yaml").write_text(FUSED.replace("weight_bytes: 65536", "weight_bytes: 65536, staging_bytes: 300000"))
    golden("table_missing.txt", megasolve("table", steps, "--without", "port", "--without", "readiness").stdout)


def test_every_value_has_its_unit_provenance_bytes_and_bound(steps: str) -> None:
    answer = told("table", steps)
    assert {key: answer[key] for key in ("megasolve", "spec", "device", "without")} == {
        "megasolve": "table/v1",
        "spec": "steps",
        "device": "h100",
        "without": [],
    }
    assert len(answer["rows"]) == 6
    for row in answer["rows"]:
        whole, _, rest = row["time_us"].partition(".")
        assert row["time_ps"] == int(whole) * PS_PER_US + int(rest)
        assert row["provenance"]["kind"] in ("measured", "tile-simulated")
        assert row["provenance"]["source"]
        assert row["hbm_bytes"] > 0
        assert row["bound_by"] in ("bandwidth", "critical path", "work")
        assert row["bound_ps"] <= row["time_ps"]
        assert row["missing"] is None


def test_a_derived_row_tells_how_it_was_simulated(steps: str) -> None:
    row = rows(steps)["fused", 132, 1]
    simulated = row["simulated"]
    assert (simulated["tiles"], simulated["workers"]) == (4 * (264 + 132), 132)
    assert max(simulated[f"{bound}_bound_ps"] for bound in ("bandwidth", "path", "work")) == row["bound_ps"]
    assert simulated["factors"] == {"down": row["calibrations"][0]["factor"], "up": row["calibrations"][0]["factor"]}
    assert row["place"] == "contracts/fused.yaml:11:3"
    assert row["context"] == {
        "launch": {"threads": 256, "registers": 64},
        "synchronization": {"kind": "counters", "cost_us": 0.5},
    }


def test_a_recorded_row_is_not_simulated(steps: str) -> None:
    row = rows(steps)["kernels", 132, 1]
    assert (row["simulated"], row["time_us"], row["place"]) == (None, "60.000000", "records.yaml:3:5")


def test_only_a_time_that_a_factor_touched_shows_one(steps: str) -> None:
    found = csv.DictReader(io.StringIO(megasolve("table", steps, "--format", "csv").stdout))
    assert {(row["entry"], row["batch"]): row["factors"] for row in found} == {
        ("fused", "1"): "1.625",
        ("fused", "8"): "",
        ("kernels", "1"): "",
        ("kernels", "8"): "",
    }


def test_a_table_as_csv_has_one_row_per_key(steps: str) -> None:
    text = megasolve("table", steps, "--format", "csv", "--without", "prefetch").stdout
    found = list(csv.DictReader(io.StringIO(text)))
    assert [row["time_us"] for row in found] == [row["time_us"] for row in rows(steps, "--without", "prefetch").values()]
    assert {row["without"] for row in found} == {"prefetch"}


@pytest.mark.parametrize(("options", "count"), [(("--batch", "8"), 3), (("--group", "D"), 6), (("--batch", "1", "--batch", "8"), 6)])
def test_a_table_shows_what_was_asked_for(steps: str, options: tuple[str, ...], count: int) -> None:
    assert len(rows(steps, *options)) == count


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--batch", "2"), "--batch 2 is not in the list of the spec: 1, 8"),
        (("--group", "E"), "--group E is no group of the spec: D"),
        (("--without", "magic"), "'magic' is not one of 'readiness'"),
        (("--refresh", "--no-cache"), "--refresh writes the cache and --no-cache does not"),
    ],
)
def test_what_cannot_be_asked_is_refused(steps: str, options: tuple[str, ...], message: str) -> None:
    result = megasolve("table", steps, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_a_table_without_any_time_exits_with_1() -> None:
    result = megasolve("table", str(CHECKOUT / "specs/published/llama_1b_decode.yaml"), "--device", "l4")
    assert result.exit_code == 1
    assert " 0 of " in result.stdout.splitlines()[0]


def test_the_mechanisms_are_those_of_the_simulator() -> None:
    assert Mechanisms.names() == MECHANISMS


@pytest.mark.parametrize(("mechanism", "time_ps"), [("prefetch", 34_000), ("readiness", 28_000)])
def test_a_mechanism_can_be_switched_off_by_its_name(mechanism: str, time_ps: int) -> None:
    found = told("table", str(CHECKOUT / EXAMPLES), "--group", "Prefetch", "--without", mechanism)
    assert [row["time_ps"] for row in found["rows"]] == [time_ps]


@pytest.mark.parametrize(
    "words", [("table",), ("solve", "--batch", "1"), ("solve", "-f", "markdown"), ("explain", "m:D@serial", "--batch", "1")]
)
def test_the_header_says_which_mechanisms_are_off(steps: str, words: tuple[str, ...]) -> None:
    command, *others = words
    text = megasolve(command, steps, *others, "--without", "prefetch", "--without", "port").stdout
    assert text.splitlines()[0].endswith(", without prefetch, port")
    assert ", without" not in megasolve(command, steps, *others).stdout


def test_every_form_of_json_says_which_mechanisms_are_off(steps: str) -> None:
    for words in (("solve", steps), ("explain", steps, "m:D@serial", "--batch", "1"), ("explain", steps, "c:D@serial", "--batch", "8")):
        assert told(*words, "--without", "readiness")["without"] == ["readiness"]
        assert told(*words)["without"] == []


def test_solve_without_a_mechanism_ranks_by_other_times(steps: str) -> None:
    scores = [told("solve", steps, *off)["results"][0]["ranking"] for off in ((), ("--without", "synchronization"))]
    plain, free = ({row["id"]: row["score_ps"] for row in ranking} for ranking in scores)
    assert free["m:D@serial"] < plain["m:D@serial"]
    assert free["c:D@serial"] == plain["c:D@serial"]


def test_explain_places_a_derived_time_in_its_contract(steps: str) -> None:
    (record,) = told("explain", steps, "m:D@serial", "--batch", "8")["records"]
    assert (record["place"], record["provenance"]["kind"]) == ("contracts/fused.yaml:11:3", "tile-simulated")


@pytest.mark.parametrize("command", ["table", "solve"])
def test_what_was_derived_is_kept_unless_nothing_is_to_be_kept(steps: str, cache_folder: Path, command: str) -> None:
    uncached = megasolve(command, steps, "--no-cache").stdout
    assert not cache_folder.exists()
    cold = megasolve(command, steps).stdout
    files = {file: file.read_bytes() for file in cache_folder.rglob("*.json")}
    assert files
    assert uncached == cold == megasolve(command, steps).stdout == megasolve(command, steps, "--refresh").stdout
    assert {file: file.read_bytes() for file in cache_folder.rglob("*") if file.is_file()} == files


@pytest.mark.parametrize("command", ["table", "solve"])
def test_a_cache_that_cannot_be_written_is_one_warning_and_the_same_result(steps: str, cache_folder: Path, command: str) -> None:
    expected = megasolve(command, steps, "--no-cache")
    cache_folder.write_text("a file where the folder should be")
    result = megasolve(command, steps)
    assert (result.exit_code, result.stdout) == (expected.exit_code, expected.stdout)
    assert result.stderr == f"Warning: derived values are not kept: cannot write to {cache_folder}: Not a directory\n"


def test_a_spec_without_programs_touches_no_cache(cache_folder: Path) -> None:
    assert megasolve("solve", str(CHECKOUT / "specs/worked_example.yaml")).exit_code == 0
    assert not cache_folder.exists()


PROGRAM = """
import sys
from megasolve.cli import main
try:
    main(sys.argv[1:])
finally:
    print("megasolve.simulate.tiles.scheduler" in sys.modules, file=sys.stderr)
"""


def test_only_a_spec_with_programs_loads_the_tile_simulator(steps: str) -> None:
    for spec, is_loaded in ((str(CHECKOUT / "specs/worked_example.yaml"), "False"), (steps, "True")):
        command = [sys.executable, "-c", PROGRAM, "solve", spec, "--no-cache"]
        done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment())
        assert done.stderr.splitlines() == [is_loaded]


def test_a_table_can_come_from_stdin(steps: str) -> None:
    piped = megasolve("table", "-", "--stdin-filename", steps, stdin=SPEC)
    assert piped.stdout == megasolve("table", steps).stdout
