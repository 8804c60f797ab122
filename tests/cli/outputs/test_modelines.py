"""What is written names its schema, where editors look for it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from megasolve.report import schema_json
from tests.support.command import megasolve

MODELINE = re.compile(r"^# yaml-language-server: \$schema=(\S+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copied")
    assert megasolve("example", "nh_tts", "--to", str(folder)).exit_code == 0
    return folder


def test_every_file_of_an_example_names_the_schema_of_its_kind(copied: Path) -> None:
    files = list(copied.rglob("*.yaml"))
    assert len(files) > 10
    for file in files:
        text = file.read_text(encoding="utf-8")
        (named,) = MODELINE.findall(text)
        (kind,) = re.findall(r"^megasolve: (\w+)/v1", text, re.MULTILINE)
        assert (file.parent / named).resolve() == (copied / "schemas" / f"{kind}.schema.json").resolve()
        assert (file.parent / named).read_text(encoding="utf-8") == schema_json(kind)


def test_a_copy_with_schemas_has_no_findings_and_is_copied_again_without_force(copied: Path) -> None:
    assert megasolve("check", str(copied)).stdout == "no findings in 19 files\n"
    assert megasolve("example", "nh_tts", "--to", str(copied)).exit_code == 0
