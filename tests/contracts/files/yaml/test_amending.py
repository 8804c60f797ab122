"""Amending YAML in its text: what is added is there, and every other character stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megasolve.contracts.files.yaml.amending import appended, begun, put_aside
from megasolve.contracts.files.yaml.documents import parse_yaml


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("batches: [1]  # as served\nname: x\n", "batches: [1, 32]  # as served\nname: x\n"),
        ("batches:   [ 1 , 8, ] \n", "batches:   [ 1 , 8, 32, ] \n"),
        ("batches: []", "batches: [32]"),
        ("batches: [1,  # one\n  8  # eight\n  ]\n", "batches: [1,  # one\n  8, 32  # eight\n  ]\n"),
        ("batches:\n- 1\n- 8 # eight\n\n# behind\nname: x\n", "batches:\n- 1\n- 8 # eight\n- 32\n\n# behind\nname: x\n"),
        ("name: x\nbatches:\n    - 1", "name: x\nbatches:\n    - 1\n    - 32"),
        ("batches:\r\n  - 1  # one\r\nname: x\r\n", "batches:\r\n  - 1  # one\r\n  - 32\r\nname: x\r\n"),
        ("{name: x, batches: [1]}", "{name: x, batches: [1, 32]}"),
        ("batches:\n  - {a: 1}  # one\n# behind\n", "batches:\n  - {a: 1}  # one\n  - 32\n# behind\n"),
        ("batches:\n- a: 1\n  b: 2  # two\n\nname: x\n", "batches:\n- a: 1\n  b: 2  # two\n- 32\n\nname: x\n"),
    ],
)
def test_an_entry_is_added_behind_the_last_and_nothing_else_changes(text: str, written: str) -> None:
    assert appended(text, "batches", "32") == written


@pytest.mark.parametrize(
    "text",
    [
        "name: x\n",
        "batches: 1\n",
        "batches: [1\n",
        "batches: &b [1]\nother: *b\n",
        "other: &b [1]\nbatches: *b\n",
        "batches:\n- |\n  a\n",
    ],
)
def test_what_cannot_be_added_in_place_is_left_to_whoever_asks(text: str) -> None:
    assert appended(text, "batches", "32") is None


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("name: x\n# mine\n", "name: x\n# mine\nbatches:\n  - 32\n"),
        ("name: x", "name: x\nbatches:\n  - 32\n"),
        ("name: x\r\n", "name: x\r\nbatches:\r\n  - 32\r\n"),
        ("batches: 1\n", None),
        ("{name: x}\n", None),
        ("name: x\n...\n", None),
        ("[1]\n", None),
    ],
)
def test_a_list_is_begun_behind_all_else_where_its_key_is_new(text: str, written: str | None) -> None:
    assert begun(text, "batches", "32") == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a: 1\nb: {c: 2}  # two\nd: 3\n", "a: 1\n# why\n# b: {c: 2}  # two\nd: 3\n"),
        (
            "a: 1\nb:\n  c: 2\n  # inside\n  e: [1,\n    2]\n\n# of d\nd: 3\n",
            "a: 1\n# why\n# b:\n#   c: 2\n#   # inside\n#   e: [1,\n#     2]\n\n# of d\nd: 3\n",
        ),
        ("a: 1\nb: 2", "a: 1\n# why\n# b: 2"),
    ],
)
def test_a_key_is_put_aside_with_all_of_its_lines(text: str, written: str) -> None:
    assert put_aside(text, "b", "why") == written


@pytest.mark.parametrize("text", ["{a: 1, b: 2}\n", "a: 1\n", "a: &x 1\nb: &y 2\nc: *y\n"])
def test_a_key_that_shares_its_lines_or_that_others_name_stays(text: str) -> None:
    assert put_aside(text, "b", "why") is None


_SPACE = st.sampled_from(["", " ", "  "])


@given(st.lists(st.integers(0, 99), max_size=4), _SPACE, _SPACE, st.sampled_from(["", "  # said by hand", "\n# below"]), st.booleans())
def test_whatever_stands_around_a_list_is_kept(numbers: list[int], left: str, right: str, behind: str, is_flow: bool) -> None:
    flow = f"batches: [{left}{f'{right}, '.join(map(str, numbers))}{right}]"
    block = "batches:" + "".join(f"\n{left}- {number}{right}" for number in numbers)
    text = f"a: 1{behind}\n{flow if is_flow or not numbers else block}{behind}\nz: 2\n"
    written = appended(text, "batches", "7")
    assert written is not None
    assert parse_yaml(written).value == {"a": 1, "batches": (*numbers, 7), "z": 2}
    kept = iter(written)
    assert all(character in kept for character in text)
