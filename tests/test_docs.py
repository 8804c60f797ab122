"""The documentation's examples are files that the checker accepts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from megasolve.contracts import Severity, check_paths, read_document

DOCS = Path(__file__).parent.parent / "docs"
EXAMPLES = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in sorted(DOCS.glob("*.md"))
    for number, block in enumerate(re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_file_of_the_documentation_reads_without_findings(example: str) -> None:
    document, findings = read_document("example.yaml", example)
    assert not findings
    assert document is not None


def test_the_three_files_of_one_page_belong_together(tmp_path: Path) -> None:
    page = (DOCS / "files.md").read_text(encoding="utf-8")
    spec, contract, records = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)[:3]
    for name, text in (("spec.yaml", spec), ("tts/contracts/stage0.yaml", contract), ("tts/records/stage0.yaml", records)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    report = check_paths([tmp_path])
    assert report.files_checked >= 3
    assert [finding for finding in report.findings if finding.severity is Severity.ERROR] == []
