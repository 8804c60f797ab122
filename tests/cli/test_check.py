"""The command `check`: its forms and its exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from megasolve.cli.app import program
from tests.support.command import CHECKOUT, megasolve

FAULTY = "tests/cli/fixtures/faulty.yaml"


@pytest.fixture(autouse=True)
def in_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)


def test_every_finding_is_a_line_with_its_place(golden: Callable[[str, str], None]) -> None:
    result = megasolve("check", FAULTY)
    assert result.exit_code == 1
    golden("check.txt", result.stdout)


def test_files_without_findings_are_clean() -> None:
    result = megasolve("check", "specs/worked_example.yaml")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "no findings in 6 files\n", "")


def test_broken_yaml_is_a_finding_here_and_a_refusal_when_solving(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("megasolve: spec/v1\nbatches: [1\n")
    assert megasolve("check", str(broken)).exit_code == 1
    assert megasolve("solve", str(broken)).exit_code == 2


@pytest.fixture
def stray(tmp_path: Path) -> str:
    """Return a folder whose only finding is a warning: a file of another tool."""
    (tmp_path / "other.yaml").write_text("name: something else\n")
    return str(tmp_path)


@pytest.mark.parametrize(("fail_on", "exit_code"), [("error", 0), ("warning", 1), ("never", 0)])
def test_a_warning_fails_only_on_demand(stray: str, fail_on: str, exit_code: int) -> None:
    result = megasolve("check", stray, "--fail-on", fail_on)
    assert result.exit_code == exit_code
    assert result.stdout.endswith("0 errors, 1 warning in 1 file\n")


@pytest.mark.parametrize(("fail_on", "exit_code"), [("error", 1), ("warning", 1), ("never", 0)])
def test_an_error_fails_unless_nothing_does(fail_on: str, exit_code: int) -> None:
    assert megasolve("check", FAULTY, "--fail-on", fail_on).exit_code == exit_code


def test_an_unreadable_file_does_not_hide_the_findings_of_the_others(tmp_path: Path) -> None:
    empty = tmp_path / "empty.yaml"
    empty.touch()
    result = megasolve("check", str(empty), FAULTY)
    assert result.exit_code == 2
    assert result.stdout.endswith("5 errors, 0 warnings in 1 file, 1 path unreadable\n")
    assert result.stderr == f"Error: {empty}: is empty\n"


def test_json_holds_every_finding() -> None:
    told = json.loads(megasolve("check", FAULTY, "--format", "json").stdout)
    assert (told["megasolve"], told["errors"], told["warnings"], told["files_checked"]) == ("check/v1", 5, 0, 1)
    assert [finding["line"] for finding in told["findings"]] == [3, 4, 5, 7, 9]


def test_the_step_summary_of_github_gets_a_table(tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    result = CliRunner(env={"GITHUB_STEP_SUMMARY": str(summary)}).invoke(program, ["check", FAULTY, "--format", "github"])
    assert result.exit_code == 1
    assert summary.read_text(encoding="utf-8").count("SCH-01 unknown-key") == 2


def test_a_file_can_be_checked_against_a_device() -> None:
    contract = "tests/cli/fixtures/gaps/contracts/B.yaml"
    assert megasolve("check", contract).exit_code == 0
    assert "LIM-12" in megasolve("check", contract, "--device", "l4").stdout


def test_every_unreadable_file_has_a_line_of_its_own(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("a.yaml", "b.yaml", "c.yaml")]
    result = megasolve("check", *paths)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "".join(f"Error: {path}: no such file\n" for path in paths)


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif", "junit"])
@pytest.mark.parametrize(("name", "said"), [("", "''"), (" ", "' '")])
def test_a_name_that_nobody_would_see_is_quoted_in_every_form(form: str, name: str, said: str) -> None:
    done = megasolve("check", name, "--format", form)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"Error: {said}: ")


def test_json_holds_every_unreadable_file() -> None:
    told = json.loads(megasolve("check", FAULTY, "absent.yaml", "--format", "json").stdout)
    assert (told["files_checked"], told["unreadable"]) == (1, [{"file": "absent.yaml", "reason": "no such file"}])


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    done = megasolve("check", str(tmp_path / "missing.yaml"))
    assert (done.exit_code, done.output) == (2, f"Error: {tmp_path / 'missing.yaml'}: no such file\n")


def test_statistics_stand_in_place_of_the_findings() -> None:
    result = megasolve("check", FAULTY, "--statistics")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[1].split()[:5] == ["2", "0", "1", "SCH-01", "unknown-key:"]
    assert FAULTY not in result.stdout
    refused = megasolve("check", FAULTY, "--statistics", "-f", "sarif")
    assert (refused.exit_code, "--format json has it, too" in refused.stderr) == (2, True)


def test_stdin_is_checked_as_the_file_that_it_would_be() -> None:
    spec = Path("specs/worked_example.yaml").read_text(encoding="utf-8").replace("batches: [32]", "batches: [32, 32]")
    result = CliRunner().invoke(program, ["check", "-", "--stdin-filename", "specs/worked_example.yaml"], input=spec)
    assert result.exit_code == 1
    assert result.stdout.startswith("specs/worked_example.yaml:")
    assert result.stdout.endswith("1 error, 0 warnings in 6 files\n")
    assert CliRunner().invoke(program, ["check", "-"], input="megasolve: contract/v1\n").stdout.startswith("<stdin>:1:1: SCH-02")
    assert megasolve("check", FAULTY, "--stdin-filename", "x.yaml").exit_code == 2


def test_a_fix_is_shown_as_a_diff_and_then_written(tmp_path: Path) -> None:
    assert megasolve("example", "worked_example", "--to", str(tmp_path)).exit_code == 0
    spec = tmp_path / "worked_example.yaml"
    right = spec.read_text(encoding="utf-8")
    wrong = right.replace("batches: [32]", "batches: [32, 32]").replace("precision:", "Precision:")
    spec.write_text(wrong, encoding="utf-8")
    shown = megasolve("check", str(spec), "--diff")
    assert (shown.exit_code, spec.read_text(encoding="utf-8")) == (1, wrong)
    assert {"-Precision: bf16", "+precision: bf16", "+batches: [32]"} <= set(shown.stdout.splitlines())
    fixed = megasolve("check", str(spec), "--fix")
    assert (fixed.exit_code, fixed.stdout, fixed.stderr) == (0, "no findings in 6 files\n", shown.stdout)
    assert spec.read_text(encoding="utf-8") == right
    assert megasolve("check", str(spec), "--diff").exit_code == 0
    assert CliRunner().invoke(program, ["check", "-", "--fix"], input=wrong).exit_code == 2


def test_a_fix_that_cannot_be_written_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = tmp_path / "talker.yaml"
    spec.write_text("megasolve: contract/v1\nmembers: P\n")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", str(spec))

    monkeypatch.setattr("megasolve.cli.outputs.fixing.write_together", full)
    result = megasolve("check", str(spec), "--fix")
    assert (result.exit_code, "nothing was changed" in result.stderr) == (2, True)
    assert spec.read_text() == "megasolve: contract/v1\nmembers: P\n"


@pytest.mark.parametrize("name", ["<b>&amp;</b>", "\x1b[31mred\x07", "a\u202eb\u2066c", "x" * 4000, "##[error]", "a\nb"])
def test_no_name_in_a_file_breaks_a_terminal(tmp_path: Path, name: str) -> None:
    file = tmp_path / "talker.yaml"
    file.write_text(f"megasolve: contract/v1\nentry: {json.dumps(name)}\n{json.dumps('key ' + name)}: 1\n", encoding="utf-8")
    for words in ([], ["--format", "github"], ["--statistics"], ["--diff"]):
        told = megasolve("check", str(file), *words).stdout
        assert all(line.isprintable() and len(line) < 1000 for line in told.splitlines())
        # A command of GitHub ends with its line; in all others nothing is one.
        assert not any("##[" in line for line in told.splitlines() if not line.startswith("::"))


def test_json_lines_with_a_repair_are_left_and_that_is_said(tmp_path: Path) -> None:
    lines = tmp_path / "taken.jsonl"
    written = '{"megasolve": "records/v1"}\n{"group": "P", "budget_ctas": "132"}\n'
    lines.write_text(written)
    result = megasolve("check", "--fix", str(lines))
    assert f"{lines} is left as it is: files of JSON lines are not written" in result.stderr
    assert lines.read_text() == written
