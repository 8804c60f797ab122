"""The documentation's examples are files that the checker accepts."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from megasolve.contracts import Severity, check_paths, read_document
from tests.support.toolchain import needs_history

DOCS = Path(__file__).parent.parent / "docs"
SOURCES = [DOCS.parent / root for root in ("contracts", "simulate", "solver", "gpu")]
EXAMPLES = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in sorted((*DOCS.glob("*.md"), *DOCS.glob("guide/*.md")))
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


def test_every_word_of_the_glossary_has_a_home_that_exists() -> None:
    page = (DOCS / "glossary.md").read_text(encoding="utf-8")
    homes = [home for row in re.findall(r"^\| [^|]+ \| .+ \| (.+) \|$", page, re.MULTILINE) for home in re.findall(r"`([^`]+)`", row)]
    assert len(homes) > 40
    modules = {path.relative_to(root / "megasolve").as_posix() for root in SOURCES for path in (root / "megasolve").rglob("*.py")}
    classes = {
        name for root in SOURCES for path in root.rglob("*.py") for name in re.findall(r"^class (\w+)", path.read_text(), re.MULTILINE)
    }
    places = modules | {module.rpartition("/")[0] for module in modules}
    assert [home for home in homes if home not in (places if "/" in home else classes)] == []


def test_the_glossary_explains_each_word_once() -> None:
    page = (DOCS / "glossary.md").read_text(encoding="utf-8").replace("| word | meaning | home |", "")
    words = [word.strip() for cell in re.findall(r"^\| (\w[^|]*) \| .+ \| .+ \|$", page, re.MULTILINE) for word in cell.split(",")]
    assert len(words) == len(set(words))


def walks() -> list[tuple[str, str]]:
    """Return the place and the name of each line of the walks through the house."""
    page = (DOCS / "architecture.md").read_text(encoding="utf-8").partition("## Four walks")[2]
    return re.findall(r"^([a-z]+/[\w/]+\.py) +(\w+) ", page, re.MULTILINE)


def test_the_walks_through_the_house_lead_past_names_that_exist() -> None:
    homes = {path.relative_to(root / "megasolve").as_posix(): path for root in SOURCES for path in (root / "megasolve").rglob("*.py")}
    assert len(walks()) > 40
    missing = [
        (place, name)
        for place, name in walks()
        if place not in homes or not re.search(rf"^(def|class) {name}\b", homes[place].read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert missing == []


def test_every_file_that_contributors_are_sent_to_exists() -> None:
    checkout = DOCS.parent
    named = re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", (checkout / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert len(named) > 40
    roots = [checkout, *(root / "megasolve" for root in SOURCES)]
    assert [name for name in named if not any((root / name).exists() for root in roots)] == []


@needs_history
def test_the_commit_that_the_readme_pins_has_the_hook() -> None:
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    (commit,) = re.findall(r"rev: (\w+)", readme)
    shown = subprocess.run(["git", "show", f"{commit}:.pre-commit-hooks.yaml"], cwd=DOCS.parent, capture_output=True, text=True, check=True)
    assert "id: megasolve-check" in shown.stdout
