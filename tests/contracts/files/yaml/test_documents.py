"""Reading YAML 1.2 text: what each scalar means, and what is refused where."""

from __future__ import annotations

import gc
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts import check_paths
from megasolve.contracts.files.yaml import documents as _yaml
from megasolve.contracts.files.yaml.documents import parse_yaml
from megasolve.contracts.files.yaml.parsed import TextFault
from tests.support.disk.files import CONTRACT, write


def value(text: str) -> Any:
    """Return what the one-line document *text* holds."""
    parsed = parse_yaml(text)
    assert parsed.faults == ()
    return parsed.value


def only_fault(text: str) -> TextFault:
    """Return the one fault of *text*."""
    (fault,) = parse_yaml(text).faults
    return fault


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no", "no"),
        ("on", "on"),
        ("1:30", "1:30"),
        ("2026-10-19", "2026-10-19"),
        ("1_000", "1_000"),
        ("true", True),
        ("null", None),
        ("~", None),
        ("010", 10),
        ("0o10", 8),
        ("0x1F", 31),
        ("-7", -7),
        ("1e9", Decimal("1e9")),
        ("3.9e12", Decimal("3.9e12")),
        ("'12'", "12"),
        ("!!str 12", "12"),
    ],
)
def test_plain_scalars_follow_the_core_schema(text: str, expected: object) -> None:
    found = value(text)
    assert (found, type(found)) == (expected, type(expected))


def test_decimals_keep_every_digit() -> None:
    assert str(value("0.1000000000000000055511151231257827")) == "0.1000000000000000055511151231257827"


def test_special_numbers_are_decimals() -> None:
    assert value("-.inf") == Decimal("-Infinity")
    assert value(".nan").is_nan()


def test_sequences_become_tuples_and_mappings_dicts() -> None:
    assert value("a: [1, {b: [2]}]") == {"a": (1, {"b": (2,)})}


def test_aliases_stand_for_their_anchor() -> None:
    assert value("a: &x {b: 1}\nc: *x") == {"a": {"b": 1}, "c": {"b": 1}}


def test_line_ends_and_byte_order_do_not_change_places() -> None:
    fault = only_fault("a: 1\r\nb: 2\r\na: 3\r\n")
    assert (fault.line, fault.column, fault.end_column) == (3, 1, 2)


def test_columns_count_code_points() -> None:
    assert only_fault("a: {µ𝄞: 1, µ𝄞: 2}").column == 12


def test_the_first_value_of_a_duplicate_key_counts_and_both_are_named() -> None:
    parsed = parse_yaml("a: 88\nb: 1\na: [80]\n")
    assert parsed.value == {"a": 88, "b": 1}
    assert parsed.faults[0].message == "duplicate key 'a': 88 on line 1 and [80] on line 3; keep one"


def test_each_repetition_of_a_key_is_reported_at_its_own_place() -> None:
    faults = parse_yaml("a: 1\na: 2\nb: {c: 1, c: 2}\na: 3\n").faults
    assert [(fault.rule.code, fault.line, fault.path) for fault in faults] == [
        ("YML-02", 2, ("a",)),
        ("YML-02", 3, ("b", "c")),
        ("YML-02", 4, ("a",)),
    ]


@pytest.mark.parametrize("key", ["1", "true", "~", "[a]", "{a: b}", "? [a]\n"])
def test_keys_that_are_not_text_are_refused(key: str) -> None:
    assert only_fault(f"{key}: x").rule.code == "YML-03"


@pytest.mark.parametrize("text", ["b: &b {x: 1}\nc: {<<: *b}", "b: &b {x: 1}\nc:\n  <<: *b\n  y: 1"])
def test_merge_keys_are_refused(text: str) -> None:
    assert only_fault(text).rule.code == "YML-04"


def test_a_quoted_merge_sign_is_an_ordinary_key() -> None:
    assert value("{'<<': 1}") == {"<<": 1}


@pytest.mark.parametrize("text", ["!!python/object:os.system x", "!mine {a: 1}", "!!set {a}", "!!timestamp 2026-10-19", "!!int x"])
def test_tags_beyond_the_core_are_refused(text: str) -> None:
    assert only_fault(text).rule.code == "YML-05"


def test_a_second_document_is_refused_where_it_starts() -> None:
    fault = only_fault("a: 1\n---\nb: 2\n")
    assert (fault.rule.code, fault.line) == ("YML-06", 2)


@pytest.mark.parametrize("text", ["a: &x [*x]", "a: *nowhere", "a: &x 1\nb: &x 2"])
def test_aliases_without_one_earlier_anchor_are_refused(text: str) -> None:
    assert only_fault(text).rule.code == "YML-07"


def test_an_alias_bomb_is_refused_with_count_and_limit() -> None:
    doubling = "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40))
    fault = only_fault(f"a0: &a0 [1, 1]\n{doubling}")
    assert fault.rule.code == "YML-08"
    assert "to 262,141 values" in fault.message
    assert "at most 200,000" in fault.message


def test_many_values_without_aliases_are_no_bomb() -> None:
    assert len(value(f"[{'1, ' * 250_000}]")) == 250_000


@pytest.mark.parametrize("text", ["[" * 65 + "]" * 65, "a: " + "[" * 100_000, "- " * 100_000 + "x", "{a: " * 65 + "1" + "}" * 65])
def test_deep_nesting_is_refused_without_recursion(text: str) -> None:
    assert only_fault(text).rule.code == "YML-09"


@pytest.mark.parametrize(
    ("text", "line", "column"), [("a:\n  " + "[" * 5000, 2, 66), ("[" * 65 + "]" * 65, 1, 65), ("- " * 5000 + "x", 1, 129)]
)
def test_deep_nesting_is_reported_where_it_crosses_the_limit(text: str, line: int, column: int) -> None:
    fault = only_fault(text)
    assert (fault.line, fault.column) == (line, column)
    assert fault.message == "this is nested 65 deep: at most 64"


def test_nesting_up_to_the_limit_is_read() -> None:
    assert parse_yaml("[" * 64 + "]" * 64).faults == ()


def test_every_control_character_is_named_with_its_place() -> None:
    faults = parse_yaml("a: x\0y\nb: \x07\n").faults
    assert [(fault.rule.code, fault.line, fault.column) for fault in faults] == [("YML-10", 1, 5), ("YML-10", 2, 4)]
    assert "U+0000" in faults[0].message


@pytest.mark.parametrize("number", ["9" * 5000, "1e999999999", "1e-400", "0x" + "f" * 70, "0." + "1" * 100, "1e" + "9" * 20])
def test_numbers_that_no_quantity_needs_are_refused(number: str) -> None:
    assert only_fault(f"a: {number}").rule.code == "YML-11"


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a: x\n\tb: 1\n", 2, 1, "a tab cannot indent"),
        ("a: [1,\n  2\nb: 3\n", 3, 2, "the list opened with '[' on line 1 is not closed"),
        ("a: {b: 1\n", 2, 1, "the mapping opened with '{' on line 1 is not closed"),
        ('a: "x\n', 2, 1, "the quoted text that starts on line 1 is not closed"),
        ('a: "\\q"\n', 1, 5, "unknown escape"),
        ("a: b: c\n", 1, 5, "put the text in quotes"),
        ("a: 1\n b: 2\n", 2, 3, "check the indentation"),
        ("a: @x\n", 1, 4, "put the text in quotes"),
    ],
)
def test_a_syntax_error_has_its_place_and_plain_words(text: str, line: int, column: int, words: str) -> None:
    fault = only_fault(text)
    assert (fault.rule.code, fault.line, fault.column) == ("YML-01", line, column)
    assert words in fault.message
    assert "\n" not in fault.message


def test_what_came_before_a_syntax_error_is_reported_too() -> None:
    assert [fault.rule.code for fault in parse_yaml("a: 1\na: 2\nb: [\n").faults] == ["YML-02", "YML-01"]


def test_the_pure_python_parser_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: &x [1, 2.5, {b: ~}]\nc: *x\na: 2\n"
    expected = parse_yaml(text)
    monkeypatch.setattr(_yaml, "PARSER", yaml.SafeLoader)
    assert parse_yaml(text) == expected


def test_the_cyclic_collector_is_on_again_after_reading() -> None:
    assert gc.isenabled()
    parse_yaml("a: [")
    assert gc.isenabled()


@settings(max_examples=200)
@given(st.text(alphabet=st.sampled_from(list("ab:[]{},-&*!?|>'\"#%\n \t~<.0519é\0\x85")), max_size=40))
def test_no_text_ends_in_an_exception(text: str) -> None:
    parsed = parse_yaml(text)
    assert parsed.is_whole or parsed.faults


def test_c74_a_duplicate_key_names_both_lines_and_both_values(tmp_path: Path) -> None:
    text = CONTRACT.replace("budgets_ctas: [132, 88]", "grid_ctas: 88") + "grid_ctas: 80\n"
    beside, finding = check_paths([write(tmp_path, "talker.yaml", text)]).findings
    assert (beside.rule.code, beside.place.line) == ("CON-03", 3)
    assert (finding.rule.code, finding.place.line, finding.path) == ("YML-02", 9, "$.grid_ctas")
    assert finding.message == "duplicate key 'grid_ctas': 88 on line 5 and 80 on line 9; keep one"
