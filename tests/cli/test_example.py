"""The command `example`: a copy that is complete, and never a file lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.cli.examples import shipped_examples
from megasolve.contracts import load_spec
from tests.support.command import megasolve

NAMES = [example.name for example in shipped_examples()]


def test_the_list_names_every_shipped_spec() -> None:
    listed = [line.split()[0] for line in megasolve("example").stdout.splitlines()[1:] if line]
    assert listed[:-1] == NAMES
    assert {"nh_tts", "worked_example", "equal_partitions", "published/llama_1b_decode"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_is_solved_by_itself_as_its_last_line_says(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied = megasolve("example", name, "--to", str(tmp_path / "copy"))
    assert copied.exit_code == 0
    command = copied.stdout.splitlines()[-1].removeprefix("next: megasolve ")
    monkeypatch.setattr("megasolve.contracts.files.device_files.shipped_specs", lambda: tmp_path / "nothing")
    (first, *_) = load_spec(command).spec.value.batches
    assert megasolve(command, "--batch", str(first)).exit_code == 0


def test_a_copy_holds_what_its_contracts_are_compared_with(tmp_path: Path) -> None:
    assert megasolve("example", "streamlet", "--to", str(tmp_path)).exit_code == 0
    assert {"compiled.yaml", "kernels.sha256"} <= {path.name for path in (tmp_path / "streamlet").iterdir()}
    (tmp_path / "streamlet/kernels.sha256").write_text("changed")
    assert "REF-09" in megasolve("check", str(tmp_path / "streamlet.yaml")).stdout


def test_a_short_name_is_enough(tmp_path: Path) -> None:
    assert megasolve("example", "llama_1b_decode", "--to", str(tmp_path)).exit_code == 0
    assert (tmp_path / "llama_1b_decode.yaml").is_file()


def test_examples_share_a_folder(tmp_path: Path) -> None:
    assert [megasolve("example", name, "--to", str(tmp_path)).exit_code for name in NAMES] == [0] * len(NAMES)


def test_a_changed_file_is_kept_unless_forced(tmp_path: Path) -> None:
    megasolve("example", "worked_example", "--to", str(tmp_path))
    spec, contract = tmp_path / "worked_example.yaml", tmp_path / "worked_example/contracts/C.yaml"
    original = spec.read_bytes()
    spec.write_text("mine")
    contract.unlink()

    refused = megasolve("example", "worked_example", "--to", str(tmp_path))
    assert refused.exit_code == 2
    assert refused.stderr.startswith(f"Error: {spec} would be overwritten; --force")
    assert spec.read_text() == "mine"
    assert not contract.exists()

    assert megasolve("example", "worked_example", "--to", str(tmp_path), "--force").exit_code == 0
    assert spec.read_bytes() == original
    assert contract.is_file()


def test_an_unknown_name_gives_the_nearest_one() -> None:
    result = megasolve("example", "nh_tss")
    assert result.exit_code == 2
    assert "did you mean 'nh_tts'?" in result.stderr


def test_a_folder_that_cannot_be_made_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = megasolve("example", "worked_example", "--to", str(tmp_path / "file"))
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: cannot copy to ")
    assert result.stderr.count("\n") == 1
