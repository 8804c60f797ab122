"""The README's Quick start is what a newcomer runs, and `.ci/run` runs it too."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
TRACE = CHECKOUT.parent / "shared" / "samples" / "profiles" / "kineto" / "hf_qwen1.5-0.5b_h100.json.gz"


def quick_start_blocks() -> list[str]:
    """Return the `sh` blocks of the section Quick start."""
    section = README.partition("\n## Quick start\n")[2].partition("\n## ")[0]
    return re.findall(r"^```sh\n(.*?)^```$", section, flags=re.MULTILINE | re.DOTALL)


def test_the_quick_start_is_two_commands_of_one_line_each() -> None:
    first, second = quick_start_blocks()
    assert [first.count("\n"), second.count("\n")] == [1, 1]
    assert first.rstrip().endswith("megasolve specs/nh_tts.yaml")
    assert second.rstrip().endswith(".venv/bin/pytest -n auto --dist loadfile")


def test_every_block_of_the_readme_says_what_it_is() -> None:
    tags = re.findall(r"^```(.*)$", README, flags=re.MULTILINE)
    assert set(tags[::2]) <= {"sh", "text", "yaml", "python"}
    assert set(tags[1::2]) == {""}


def test_ci_extracts_the_commands_that_stand_in_the_readme() -> None:
    extracted = [
        subprocess.run(["bash", ".ci/run", "--show", str(number)], cwd=CHECKOUT, check=True, stdout=subprocess.PIPE, text=True).stdout
        for number in (1, 2)
    ]
    assert extracted == quick_start_blocks()


def commands_and_outputs() -> list[tuple[str, list[str]]]:
    """Return each `megasolve` command of the README together with the lines that it is shown to print."""
    pairs = re.findall(r"^```sh\n([^`]*)^```\n(?:(?!^```).)*?^```text\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    return [(command.split("megasolve ", 1)[1].strip(), text.splitlines()) for command, text in pairs if "bin/pytest" not in command]


def is_of_the_trace(arguments: str) -> bool:
    """Whether the command belongs to the story of the trace, which is no part of this repository."""
    return "qwen.yaml" in arguments


def test_the_readme_shows_output_that_is_really_printed() -> None:
    shown = [pair for pair in commands_and_outputs() if not is_of_the_trace(pair[0])]
    assert len(shown) == 4
    for arguments, lines in shown:
        assert_printed(arguments, lines, CHECKOUT)


def test_the_story_of_the_trace_shows_output_that_is_really_printed(tmp_path: Path) -> None:
    shown = [pair for pair in commands_and_outputs() if is_of_the_trace(pair[0])]
    assert len(shown) == 2
    if not TRACE.is_file():
        pytest.skip("the trace lies elsewhere")
    (tmp_path / shown[0][0].split()[-1]).symlink_to(TRACE)
    for arguments, lines in shown:
        assert_printed(arguments, lines, tmp_path)


def assert_printed(arguments: str, lines: list[str], folder: Path) -> None:
    """Assert that the command prints *lines*, in this order, wherever `...` stands for others."""
    printed = iter(run_megasolve(*arguments.split(), folder=folder).splitlines())
    missing = [line for line in lines if line != "..." and line not in printed]
    assert not missing, arguments


def run_megasolve(*arguments: str, folder: Path) -> str:
    """Run the command line in *folder* and return what it prints."""
    roots = os.pathsep.join(str(CHECKOUT / root) for root in ("contracts", "simulate", "solver", "gpu"))
    command = [sys.executable, "-m", "megasolve.cli", *arguments]
    run = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": roots})
    return run.stdout
