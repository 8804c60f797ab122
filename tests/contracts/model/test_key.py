"""Keys of records: equal exactly where nothing differs, whatever kind of values a context holds."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megasolve.contracts import Key, Record, differences, keys_of
from megasolve.contracts.model.differing import ABSENT, Difference, frozen_tree, tree_differences

SCALARS = st.one_of(st.none(), st.booleans(), st.integers(0, 2), st.sampled_from(("1", "true", "a", "", Decimal("1.0"), Decimal("0.5"))))
NAMES = st.sampled_from(("a", "b", "a.b", "0"))
TREES = st.recursive(
    SCALARS, lambda inner: st.one_of(st.dictionaries(NAMES, inner, max_size=2), st.lists(inner, max_size=2).map(tuple)), max_leaves=4
)
CONTEXTS = st.dictionaries(NAMES, TREES, max_size=2)


def record(**changes: Any) -> Record:
    fields: dict[str, Any] = {
        "group": "B",
        "backend": "megakernel",
        "entries": ("B_L",),
        "budget_ctas": 88,
        "batch": 1,
        "precision": "bf16",
        "device": "h100",
        "context": {},
        "duration_us": Decimal(1),
        "provenance": {"kind": "published", "source": "invented"},
    }
    return Record.model_validate({**fields, **changes}, by_alias=True, by_name=False)


@given(CONTEXTS, CONTEXTS)
def test_two_contexts_are_one_key_exactly_where_nothing_differs(one: dict[str, Any], other: dict[str, Any]) -> None:
    (mine,), (theirs,) = keys_of(record(context=one)), keys_of(record(context=other))
    assert (mine == theirs) is not any(tree_differences("context", one, other))
    assert (mine == theirs) is not any(differences(mine, theirs))
    assert mine != theirs or hash(mine) == hash(theirs)


@pytest.mark.parametrize(
    "changes",
    [{"budget_ctas": 44}, {"batch": 4}, {"precision": "fp8"}, {"device": "h200"}, {"shapes": {"frames": 3}}, {"entries": ("B",)}],
)
def test_each_part_of_a_key_tells_records_apart(changes: dict[str, Any]) -> None:
    (key,) = keys_of(record())
    other = record(**changes)
    (has,) = keys_of(other)
    assert key != has
    (difference,) = differences(has, key)
    assert difference.path.split(".")[0] in (next(iter(changes)), "entry")


def test_a_record_of_several_entries_serves_each_of_them_once() -> None:
    found = keys_of(record(entries=("B_L", "B", "B_L")))
    assert [key.entry for key in found] == ["B_L", "B"]
    assert {*found} == {*keys_of(record(entries=("B", "B_L")))}


@pytest.mark.parametrize(
    ("has", "wanted", "told"),
    [
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": [1, 2]}, {"a": (1, 2)}, []),
        ({"a": 1}, {"a": True}, ["a: 1 against true"]),
        ({"a": "1"}, {"a": 1}, ['a: "1" against 1']),
        ({"a": None}, {}, ["a: null against absent"]),
        ({"a.b": 1}, {"a": {"b": 1}}, ['a: absent against {"b": 1}', "a.b: 1 against absent"]),
        ({"a": [1, 2]}, {"a": [1, 3]}, ["a[1]: 2 against 3"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a: [1] against [1, 2]"]),
        ({"a": {}}, {"a": []}, ["a: {} against []"]),
        ({"a": Decimal("1.50")}, {"a": Decimal(2)}, ["a: 1.5 against 2"]),
    ],
)
def test_what_differs_is_told_as_files_hold_it(has: dict[str, Any], wanted: dict[str, Any], told: list[str]) -> None:
    assert [str(one) for one in tree_differences("", has, wanted)] == told
    assert (frozen_tree(has) == frozen_tree(wanted)) is not bool(told)


@pytest.mark.parametrize("value", ["y" * 20_000, "[" * 20_000, "9" * 20_000, ["y" * 20_000]])
def test_what_is_long_is_cut(value: object) -> None:
    (difference,) = tree_differences("build", {"flags": value}, {})
    assert len(str(difference)) < 250


def test_a_place_may_be_absent_on_either_side() -> None:
    assert [*tree_differences("", {"a": 1}, {"b": 2})] == [Difference("a", 1, ABSENT), Difference("b", ABSENT, 2)]


def test_a_key_writes_the_fields_of_its_records() -> None:
    (key,) = keys_of(record(shapes={"frames": 2}, context={"launch": {"threads": 256}}))
    assert keys_of(record(**key.record_fields)) == (key,)
    assert "shapes" not in replace(key, shapes={}).record_fields
    assert isinstance(key, Key)


def test_a_name_of_any_length_takes_a_part_of_a_line() -> None:
    (difference,) = tree_differences("context", {"y" * 5000: 1}, {})
    assert len(str(difference)) < 300
