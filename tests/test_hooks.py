"""The pre-commit hook that the repository offers to others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

(HOOK,) = yaml.safe_load((Path(__file__).parents[1] / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", ["specs/tts.yaml", "specs/tts/contracts/B.yml", "specs/tts/records/run.jsonl"])
def test_every_kind_of_file_triggers_the_hook(file: str) -> None:
    assert re.search(HOOK["files"], file)
    assert not {"types", "types_or"} & HOOK.keys()


@pytest.mark.parametrize("file", ["specs/README.md", "docs/a.yaml"])
def test_other_files_do_not_trigger_the_hook(file: str) -> None:
    assert not re.search(HOOK["files"], file)
