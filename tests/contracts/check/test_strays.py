"""Files without a kind that the search of a folder comes across: ours are errors, those of other tools warnings."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts import Severity, check_paths
from tests.support.disk.files import CONTRACT, RECORD_LINE, write

OURS = {
    "two keys of a contract": ("a.yaml", "entry: talker\nmembers: [P]\n"),
    "a near-miss of the key": ("a.yaml", "megasolv: contract/v1\n"),
    "a record without its head": ("a.jsonl", RECORD_LINE),
}
FOREIGN = {
    "one key of a spec": ("a.yaml", "name: workflow\non: push\n"),
    "a list": ("a.yaml", "- 1\n"),
    "lines of another tool": ("a.jsonl", '{"text": "x", "batch": 1}\n'),
}


def severity_of(folder: Path, name: str, text: str) -> Severity:
    write(folder, name, text)
    write(folder, "ours.yaml", CONTRACT)
    (finding,) = (finding for finding in check_paths([folder]).findings if finding.rule.code == "SCH-06")
    return finding.severity


@pytest.mark.parametrize("case", OURS)
def test_a_file_that_looks_like_ours_is_an_error(tmp_path: Path, case: str) -> None:
    assert severity_of(tmp_path, *OURS[case]) is Severity.ERROR


@pytest.mark.parametrize("case", FOREIGN)
def test_a_file_of_another_tool_is_a_warning(tmp_path: Path, case: str) -> None:
    assert severity_of(tmp_path, *FOREIGN[case]) is Severity.WARNING
