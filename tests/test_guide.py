"""The guide: every command in it runs and prints what the page shows, and the site that it makes has every public name."""

from __future__ import annotations

import gzip
import io
import posixpath
import re
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from sphinx.util.inventory import InventoryFile

import megasolve.contracts
import megasolve.contracts.observe
import megasolve.contracts.profiles
import megasolve.contracts.scaffold
import megasolve.contracts.taskgraphs
import megasolve.gpu.driver
import megasolve.gpu.workloads
import megasolve.report
import megasolve.simulate
import megasolve.solver
from tests.support.command import environment
from tests.support.command import megasolve as run

CHECKOUT = Path(__file__).resolve().parents[1]
DOCS = CHECKOUT / "docs"
GUIDE = sorted((DOCS / "guide").glob("*.md"))
BLOCK = re.compile(r"(?:`(?P<file>[\w.]+)`:\n\n)?^```(?P<tag>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
DOORS = (
    megasolve.contracts,
    megasolve.contracts.observe,
    megasolve.contracts.profiles,
    megasolve.contracts.scaffold,
    megasolve.contracts.taskgraphs,
    megasolve.gpu.driver,
    megasolve.gpu.workloads,
    megasolve.report,
    megasolve.simulate,
    megasolve.solver,
)


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.stem)
def test_every_command_of_the_guide_prints_what_its_page_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(CHECKOUT / "examples/trace/decoder.json.gz", tmp_path)
    monkeypatch.chdir(tmp_path)
    printed: list[str] = []
    names: dict[str, object] = {}
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        tag, body = block["tag"], block["body"]
        if (block["file"] and not (tmp_path / "plan").is_dir()) or block["file"] == "runs.csv":
            (tmp_path / block["file"]).write_text(body, encoding="utf-8")
        elif tag == "sh":
            printed = [line for command in body.splitlines() for line in printed_by(command)]
        elif tag == "text":
            assert_shown(body.splitlines(), printed)
        elif tag == "python":
            with redirect_stdout(io.StringIO()):
                exec(body, names)


def printed_by(command: str) -> list[str]:
    """Run one command of the page, which succeeds, and return its lines."""
    program, *words = command.split()
    assert program == "megasolve", command
    result = run(*words)
    assert result.exit_code == 0, (command, result.output)
    return result.output.splitlines()


def assert_shown(shown: list[str], printed: list[str]) -> None:
    """Assert that the lines of the page were printed in their order, wherever `...` stands for others."""
    rest = iter(printed)
    assert [line for line in shown if line != "..." and line not in rest] == []


def test_the_example_trace_is_what_its_program_writes(tmp_path: Path) -> None:
    program = CHECKOUT / "examples/trace/make_trace.py"
    copy = shutil.copy(program, tmp_path)
    subprocess.run([sys.executable, copy], check=True)
    written, shipped = (gzip.decompress((folder / "decoder.json.gz").read_bytes()) for folder in (tmp_path, program.parent))
    assert written == shipped


def links(page: Path) -> list[str]:
    """Return the relative links of a page, without anchors, outside of blocks."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [link for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text) if "://" not in link]


def test_no_link_of_the_documentation_is_dead() -> None:
    pages = [*DOCS.rglob("*.md"), *(CHECKOUT / name for name in ("README.md", "CONTRIBUTING.md"))]
    dead = [(page.name, link) for page in pages for link in links(page) if not (page.parent / link).exists()]
    assert dead == []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site once, without the theme: what that draws of the menu takes most of the time, and is the same on every page."""
    folder = tmp_path_factory.mktemp("site")
    build(folder, "-D", "html_theme=basic")
    return folder


def build(folder: Path, *more: str) -> None:
    """Build the site into *folder*, from what is read there if it was before; a warning is an error."""
    words = ["-q", "-W", "--keep-going", "-b", "html", "-d", str(folder / "trees"), str(DOCS), str(folder), *more]
    built = subprocess.run([sys.executable, "-m", "sphinx", *words], check=False, env=environment(), capture_output=True, text=True)
    assert (built.stderr, built.returncode) == ("", 0)


def test_a_page_of_the_site_has_the_menu_of_the_theme(site: Path) -> None:
    build(site, str(DOCS / "index.md"))
    assert 'class="sidebar-tree"' in (site / "index.html").read_text(encoding="utf-8")


def test_the_site_has_every_public_name(site: Path) -> None:
    with (site / "objects.inv").open("rb") as stream:
        inventory = InventoryFile.load(stream, "", posixpath.join)
    known = {name.rpartition(".")[2] for kind in inventory if kind.startswith("py:") for name in inventory[kind]}
    missing = [f"{door.__name__}.{name}" for door in DOORS for name in door.__all__ if name not in known]
    assert missing == []
