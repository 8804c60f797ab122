"""What stops a command that solves: findings and unreadable files in full, with a hint that is true; warnings stop nothing."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.support.command import CHECKOUT, megasolve
from tests.support.disk.files import CONTRACT, RECORDS, SPEC, write_study


@pytest.mark.parametrize("words", [(), ("--device", "h200")])
def test_the_command_that_is_named_shows_the_findings_again(tmp_path: Path, words: tuple[str, ...]) -> None:
    spec = write_study(tmp_path / "a folder", contract=CONTRACT + "titel: x\n")
    *findings, last = megasolve("solve", spec, *words).stderr.splitlines()
    hint = last.rpartition("; ")[2].removesuffix(" shows them again")
    program, *named = shlex.split(hint)
    assert program == "megasolve"
    assert megasolve(*named).stdout.splitlines()[:-1] == findings


def test_findings_of_stdin_come_without_a_hint() -> None:
    result = megasolve("solve", "-", stdin="megasolve: spec/v1\n")
    assert result.stderr.splitlines()[-1] == "Error: <stdin> cannot be used until these findings are repaired"


def test_a_file_of_another_kind_comes_without_a_hint() -> None:
    device = str(CHECKOUT / "specs/devices/h200.yaml")
    assert megasolve("solve", device).stderr.splitlines()[-1] == f"Error: {device} cannot be used until these findings are repaired"


def test_unreadable_files_do_not_hide_the_findings_of_the_others(tmp_path: Path) -> None:
    spec = write_study(tmp_path, contract=CONTRACT + "titel: x\n", records="")
    result = megasolve("solve", spec)
    finding, error = result.stderr.splitlines()
    assert result.exit_code == 2
    assert "SCH-01" in finding
    assert error == f"Error: {tmp_path / 'records.yaml'}: is empty"


def test_warnings_come_before_the_result_and_change_no_exit_code(tmp_path: Path) -> None:
    more = RECORDS + RECORDS.partition("records:\n")[2].replace("batch: 1", "batch: 2")
    quiet = megasolve("solve", write_study(tmp_path / "quiet"))
    warned = megasolve("solve", write_study(tmp_path / "warned", records=more))
    assert (quiet.exit_code, quiet.stderr) == (warned.exit_code, "") == (0, "")
    assert warned.stdout == quiet.stdout
    (line,) = warned.stderr.splitlines()
    assert line.startswith(f"{tmp_path / 'warned' / 'records.yaml'}:17:12: REC-15 warning: batch 2 is not planned")
    assert line in megasolve("check", str(tmp_path / "warned" / "small.yaml")).stdout


def test_a_spec_without_any_megakernel_is_told_so(tmp_path: Path) -> None:
    contract = CONTRACT.replace("megakernel", "conventional")
    for key in ("budgets_ctas: [132, 88]\n", "loops_on_device: true\n"):
        contract = contract.replace(key, "")
    spec = write_study(tmp_path, contract=contract, spec=SPEC.replace("[records.yaml]", "[]"))
    result = megasolve("solve", spec)
    assert result.exit_code == 1
    assert "no megakernel entry has exactly the groups P; the spec has no megakernel entry" in result.stdout


@pytest.mark.parametrize("word", ["a\nb", "a\x1b[31mb", "a\u202eb"])
@pytest.mark.parametrize(
    "words",
    [
        ["measure", "SPEC", "--dry-run", "--output"],
        ["solve", "SPEC", "--format"],
        ["import", "SPEC", "-o"],
        ["new"],
        ["schema"],
        ["import", "f", "--group"],
    ],
)
def test_wrong_usage_repeats_words_on_one_line_and_nothing_that_a_terminal_obeys(tmp_path: Path, words: list[str], word: str) -> None:
    spec = write_study(tmp_path)
    done = megasolve(*(spec if one == "SPEC" else one for one in words), word)
    assert (done.exit_code, done.stdout) == (2, "")
    assert word not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("Error: ")
