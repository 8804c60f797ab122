"""The cache of derived values: addressed by content, never trusted when damaged, and never a reason to fail."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts import JsonObject
from megasolve.solver import Cache, cache_folder
from megasolve.solver.evidence.cache import digest, entry_path
from tests.support.command import environment

KEY = digest("a call")
VALUE: JsonObject = {"duration_ps": 12, "factors": {"qkv": "3/2"}, "never_staged": ["head"]}
PLAIN = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda one: st.lists(one) | st.dictionaries(st.text(), one))


def kept(folder: Path) -> Path:
    """Keep one value and return its file."""
    Cache(folder).keep(KEY, VALUE)
    return entry_path(folder, KEY)


@settings(max_examples=15)
@given(st.dictionaries(st.text(), PLAIN))
def test_what_is_kept_is_recalled_by_another_run(tmp_path_factory: pytest.TempPathFactory, value: dict[str, Any]) -> None:
    folder = tmp_path_factory.mktemp("cache")
    Cache(folder).keep(KEY, value)
    assert Cache(folder).recall(KEY) == value


@settings(max_examples=25)
@given(st.dictionaries(st.text(), PLAIN, min_size=2))
def test_the_order_of_facts_does_not_change_their_digest(facts: dict[str, Any]) -> None:
    assert digest(facts) == digest(dict(reversed(facts.items())))


def test_other_facts_have_another_digest() -> None:
    facts = [{"a": 1}, {"a": "1"}, {"a": [1]}, {"b": 1}, {"a": 1, "b": None}, [], "", None]
    assert len({digest(one) for one in facts}) == len(facts)


def test_an_empty_cache_recalls_nothing_and_makes_no_folder(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "none")
    assert cache.recall(KEY) is None
    assert cache.warning is None
    assert list(tmp_path.iterdir()) == []


def test_an_entry_that_was_cut_off_anywhere_is_not_trusted(tmp_path: Path) -> None:
    file = kept(tmp_path)
    whole = file.read_bytes()
    for length in range(len(whole) - 1):
        file.write_bytes(whole[:length])
        assert Cache(tmp_path).recall(KEY) is None, length


def test_an_entry_with_one_changed_byte_is_not_trusted(tmp_path: Path) -> None:
    file = kept(tmp_path)
    whole = file.read_bytes()
    for position in range(len(whole) - 1):
        file.write_bytes(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])
        assert Cache(tmp_path).recall(KEY) is None, position


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"[]", b"null", b"{}", b"[" * 100_000, b'{"megasolve": "cached/v1"}', b"NaN"])
def test_a_foreign_file_is_not_trusted_and_is_replaced(tmp_path: Path, content: bytes) -> None:
    file = kept(tmp_path)
    file.write_bytes(content)
    cache = Cache(tmp_path)
    assert cache.recall(KEY) is None
    cache.keep(KEY, VALUE)
    assert cache.warning is None
    assert Cache(tmp_path).recall(KEY) == VALUE


def test_an_entry_under_the_name_of_another_key_is_not_trusted(tmp_path: Path) -> None:
    other = digest("another call")
    file = entry_path(tmp_path, other)
    file.parent.mkdir(parents=True)
    file.write_bytes(kept(tmp_path).read_bytes())
    assert Cache(tmp_path).recall(other) is None


def test_a_file_too_large_to_be_an_entry_is_not_read(tmp_path: Path) -> None:
    file = kept(tmp_path)
    file.write_bytes(file.read_bytes() + b" " * (1 << 20))
    assert Cache(tmp_path).recall(KEY) is None


def test_a_folder_where_an_entry_should_be_costs_only_the_caching(tmp_path: Path) -> None:
    entry_path(tmp_path, KEY).mkdir(parents=True)
    cache = Cache(tmp_path)
    assert cache.recall(KEY) is None
    cache.keep(KEY, VALUE)
    assert cache.warning is not None
    assert cache.warning == f"a derived value is not kept: cannot write {entry_path(tmp_path, KEY)}: Is a directory"


def test_one_entry_that_cannot_be_written_costs_no_other(tmp_path: Path) -> None:
    entry_path(tmp_path, KEY).mkdir(parents=True)
    cache, other = Cache(tmp_path), digest("another call")
    cache.keep(KEY, VALUE)
    cache.keep(other, VALUE)
    assert cache.recall(other) == VALUE
    assert cache.warning is not None
    assert KEY in cache.warning


@pytest.mark.parametrize(("hours", "is_kept"), [(23, True), (25, False)])
def test_what_killed_runs_left_in_a_folder_is_removed_after_a_day(tmp_path: Path, hours: int, is_kept: bool) -> None:
    left = entry_path(tmp_path, KEY).with_name(f".{KEY}.1.0123abcd.part")
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    then = time.time() - hours * 3600
    os.utime(left, (then, then))
    assert kept(tmp_path).is_file()
    assert left.exists() == is_kept


def test_where_nothing_can_be_written_the_first_problem_is_said_and_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file/cache")
    cache.keep(KEY, VALUE)
    assert cache.warning == f"derived values are not kept: cannot write to {tmp_path / 'file/cache'}: Not a directory"
    cache.keep(digest("another call"), VALUE)
    assert cache.recall(KEY) is None


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    entry_path(tmp_path, KEY).mkdir(parents=True)
    Cache(tmp_path).keep(KEY, VALUE)
    assert [path.name for path in entry_path(tmp_path, KEY).parent.iterdir()] == [f"{KEY}.json"]


def test_without_a_home_there_is_no_cache_and_the_repair_is_named() -> None:
    cache = Cache(cache_folder({}))
    cache.keep(KEY, VALUE)
    assert cache.recall(KEY) is None
    assert cache.warning is not None
    assert "MEGASOLVE_CACHE_DIR" in cache.warning


def test_refresh_recalls_nothing_and_replaces_what_is_there(tmp_path: Path) -> None:
    kept(tmp_path)
    fresh = Cache(tmp_path, refresh=True)
    assert fresh.recall(KEY) is None
    fresh.keep(KEY, {"duration_ps": 13})
    assert Cache(tmp_path).recall(KEY) == {"duration_ps": 13}


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"MEGASOLVE_CACHE_DIR": "here", "XDG_CACHE_HOME": "/xdg", "HOME": "/people/me"}, "here"),
        ({"XDG_CACHE_HOME": "/xdg", "HOME": "/people/me"}, "/xdg/megasolve"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/people/me"}, "/people/me/.cache/megasolve"),
        ({"MEGASOLVE_CACHE_DIR": "", "HOME": "/people/me"}, "/people/me/.cache/megasolve"),
    ],
)
def test_the_folder_is_the_named_one_else_the_one_for_caches(variables: dict[str, str], folder: str) -> None:
    assert cache_folder(variables) == Path(folder)


WRITER = """
import sys
from pathlib import Path
from megasolve.solver.evidence.cache import Cache, digest
cache = Cache(Path(sys.argv[1]))
for turn in range(int(sys.argv[2])):
    number = turn % 20
    cache.keep(digest(number), {"number": number, "padding": "x" * 20_000})
    assert (cache.recall(digest(number)) or {"number": number})["number"] == number
assert cache.warning is None, cache.warning
"""


def writer(folder: Path, turns: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", WRITER, str(folder), str(turns)], env=environment())


def test_runs_beside_each_other_and_runs_that_are_killed_leave_only_whole_entries(tmp_path: Path) -> None:
    writers = [writer(tmp_path, turns) for turns in (200, 200, 10**9)]
    deadline = time.monotonic() + 300
    while len(list(tmp_path.rglob("*.json"))) < 20 and time.monotonic() < deadline:
        time.sleep(0.01)
    writers[2].send_signal(signal.SIGKILL)
    assert [one.wait(timeout=300) for one in writers] == [0, 0, -signal.SIGKILL]
    for number in range(20):
        assert Cache(tmp_path).recall(digest(number)) == {"number": number, "padding": "x" * 20_000}


def test_an_entry_is_readable_json_that_names_its_kind(tmp_path: Path) -> None:
    entry = json.loads(kept(tmp_path).read_text())
    assert (entry["megasolve"], entry["key"], entry["value"]) == ("cached/v1", KEY, VALUE)
    assert [path.name for path in tmp_path.iterdir()] == [KEY[:2]]
