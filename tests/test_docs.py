"""The documentation's examples are files that the checker accepts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from megasolve.contracts import read_document

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
