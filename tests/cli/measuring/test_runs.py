"""`measure --candidate` and `--co-run`: what is asked for and what would be launched; tests of the GPU package run it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from megasolve.cli.measuring.runs import split_of
from megasolve.solver import with_entries
from tests.support.command import megasolve
from tests.support.disk.small_specs import write_small_spec
from tests.support.kernels.streamlet import shipped


@pytest.fixture
def spec(tmp_path: Path) -> str:
    """Streamlet at small sizes."""
    return str(write_small_spec(tmp_path))


def test_a_dry_run_shows_the_launches_of_a_candidate_and_what_runs_beside_each_other(spec: str) -> None:
    done = megasolve("measure", spec, "--dry-run", "--batch", "1", "--candidate", "m:P/m:B+L/m:C@dynamic:4/2", "--co-run", "4/2")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "m:P/m:B+L/m:C@dynamic:4/2, batch 1",
        "  m:P (P1) on 6 CTAs",
        "  m:B+L (B1 to L3) on 6 CTAs",
        "  m:B+L (B4 to L5) on 4 CTAs",
        "  m:C (C1) on 2 CTAs",
        "m:B+L on 4 CTAs beside m:C on 2, batch 1",
        "m:B+L on 4 CTAs beside c:C on 2, batch 1",
        "these runs are no evidence, and no plan reads them",
    ]


def test_the_json_of_a_dry_run_has_a_kind_and_every_batch(spec: str) -> None:
    done = megasolve("measure", spec, "--dry-run", "-f", "json", "--candidate", "m:P+B+L+C@serial")
    facts = json.loads(done.stdout)
    assert (facts["megasolve"], facts["dry_run"], facts["complete"]) == ("runs/v1", True, True)
    assert [(one["batch"], one["launches"]) for one in facts["compositions"]] == [
        (1, ["m:P+B+L+C (P1 to C1) on 6 CTAs"]),
        (3, ["m:P+B+L+C (P1 to C1) on 6 CTAs"]),
    ]


def test_a_candidate_that_the_plan_excludes_is_one_line_with_its_causes(spec: str) -> None:
    contract = Path(spec).parent / "streamlet" / "contracts" / "P.yaml"
    contract.write_text(contract.read_text().replace("budgets_ctas: [6, 4, 2]", "budgets_ctas: [7]"))
    done = megasolve("measure", spec, "--dry-run", "--batch", "1", "--candidate", "m:P/m:B+L/m:C@serial", "--candidate", "m:P+B+L+C@serial")
    assert done.exit_code == 1
    assert "not run: m:P/m:B+L/m:C@serial, batch 1: LIM-12 " in done.stdout
    assert "m:P+B+L+C (P1 to C1) on 6 CTAs" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--candidate", "m:P/m:B+L/m:C@dynamic:5/1"), "--candidate m:P/m:B+L/m:C@dynamic:5/1 is none of the spec's; the nearest are "),
        (("--co-run", "4-2"), "'4-2' is no split: write the CTAs of the producer and of the consumer, as 88/44"),
        (("--candidate", "m:P+B+L+C@serial", "--group", "L"), "--group chooses among times; a candidate or a split says itself what runs"),
        (("--co-run", "4/2", "--budget", "4"), "--budget chooses among times; a candidate or a split says itself what runs"),
        (("--co-run", "4/3"), "a co-run of 4 and 3 CTAs, one on an SM; both are at least 1, and together at most the 6 SMs of small"),
    ],
)
def test_what_cannot_be_run_is_refused_in_one_line(spec: str, words: tuple[str, ...], message: str) -> None:
    refused = megasolve("measure", spec, "--dry-run", "--batch", "1", *words)
    assert refused.exit_code == 2
    assert message in refused.stderr


def test_an_entry_that_is_named_takes_the_place_of_others_for_the_same_groups() -> None:
    entries = {document.value.entry for document in shipped().contracts}
    kept = {document.value.entry for document in with_entries(shipped(), ["B_L_512"]).contracts}
    assert entries - kept == {"B_L", "B_L_128"}
    # A kernel is one of many that run its group.
    assert with_entries(shipped(), ["L_sample"]).contracts == shipped().contracts


def test_a_split_is_two_numbers_of_ctas() -> None:
    assert split_of("88/44") == (88, 44)
