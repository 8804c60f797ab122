"""The store: a result is there as it was written or not at all, and a folder is a store of this version or refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from megasolve.solver import Store, UnusableStore, default_store
from megasolve.solver.optimize.studies import store as module
from megasolve.solver.optimize.studies.store import MARK, Stored

KEY = "ab" * 32
LINE = Stored('{"megasolve":"result/v1","spec":"ü"}', is_feasible=True)


def entry(folder: Path) -> Path:
    return folder / "ab" / f"{KEY}.json"


def test_what_is_kept_is_recalled_by_any_store_of_the_folder(tmp_path: Path) -> None:
    Store(tmp_path / "deep" / "store").keep(KEY, LINE)
    again = Store(tmp_path / "deep" / "store")
    assert again.recall(KEY) == LINE
    assert again.recall("cd" * 32) is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda content: content[:-1],
        lambda content: content + b"x",
        lambda content: content.replace(b"true", b"1"),
        lambda content: content.replace(b"stored/v1", b"stored/v2"),
        lambda content: content.replace(KEY.encode(), ("ac" * 32).encode()),
        lambda content: b"[]\n" + content.partition(b"\n")[2],
        lambda content: b"\xff\x00" + content,
    ],
)
def test_what_is_damaged_was_never_finished(tmp_path: Path, damage: object) -> None:
    assert callable(damage)
    store = Store(tmp_path)
    store.keep(KEY, LINE)
    entry(tmp_path).write_bytes(damage(entry(tmp_path).read_bytes()))
    assert store.recall(KEY) is None
    store.keep(KEY, LINE)
    assert store.recall(KEY) == LINE


def test_a_store_of_another_version_is_refused_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store(tmp_path).keep(KEY, LINE)
    monkeypatch.setattr(module, "program_version", lambda: "9.9.9")
    with pytest.raises(UnusableStore) as refused:
        Store(tmp_path)
    written = json.loads((tmp_path / MARK).read_text())["version"]
    assert str(refused.value) == (
        f"the store {tmp_path} was written by {written}, and this is 9.9.9; name another one with --store, or remove it"
    )


@pytest.mark.parametrize(
    ("mark", "writer"),
    [
        ('{"megasolve": "store/v2", "version": "0.1.0"}', "a version whose stores are store/v2"),
        ('{"version": "0.1.0"}', "another program"),
        ("{", "another program"),
    ],
)
def test_a_store_of_another_form_is_refused(tmp_path: Path, mark: str, writer: str) -> None:
    (tmp_path / MARK).write_text(mark)
    with pytest.raises(UnusableStore, match=f"was written by {writer}, and this is "):
        Store(tmp_path)


def test_a_folder_that_holds_something_else_is_no_store_and_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(UnusableStore, match=r"is no store: it holds 'thesis\.tex'"):
        Store(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_file_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UnusableStore, match="cannot be used: File exists"):
        Store(tmp_path / "file")


def test_what_cannot_be_kept_is_said_and_costs_nothing_else(tmp_path: Path) -> None:
    store = Store(tmp_path)
    (tmp_path / "ab").touch()
    store.keep(KEY, LINE)
    assert store.warning == f"results are not kept: cannot write to {tmp_path}: File exists"
    assert store.recall(KEY) is None


def test_by_default_it_lies_below_the_caches_apart_for_each_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "program_version", lambda: "9.9.9")
    assert default_store({"MEGASOLVE_CACHE_DIR": "/caches"}) == Path("/caches/results/9.9.9")
    assert default_store({}) is None
