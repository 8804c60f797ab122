"""Whole-number expressions over symbols."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megasolve.contracts.model.programs.symbols import (
    LONGEST_EXPRESSION,
    ExpressionError,
    UnknownSymbol,
    evaluated,
    is_symbol_name,
    names_in,
)
from megasolve.contracts.model.spec import Spec
from megasolve.contracts.operators.work import ceil_div
from megasolve.contracts.sizes.symbols import symbol_values, symbols_of

SYMBOLS = {"batch": 32, "layers": 16}
numbers = st.integers(-99, 99)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        (" batch ", 32),
        ("2 * batch + 1", 65),
        ("2 * (batch + 1)", 66),
        ("batch - layers - 1", 15),
        ("batch // 5", 6),
        ("batch % 5", 2),
        ("-batch // 5", -7),
        ("ceil_div(batch, 5)", 7),
        ("min(batch, layers, 3)", 3),
        ("max(batch, min(layers, 3))", 32),
    ],
)
def test_an_expression_has_its_exact_value(text: str, value: int) -> None:
    assert evaluated(text, SYMBOLS) == value


def test_a_number_is_its_own_value() -> None:
    assert evaluated(10**30, {}) == 10**30


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2 *",
        "2.5",
        "1e3",
        "2 ** 3",
        "batch / 2",
        "batch.real",
        "batch[0]",
        "(1, 2)",
        "'a'",
        "True",
        "lambda: 1",
        "abs(1)",
        "min(1)",
        "ceil_div(1)",
        "ceil_div(1, 2, 3)",
        "min(*batch)",
        "min(a=1, b=2)",
        "1 if batch else 2",
        "batch < 2",
        "not batch",
        "1_000",
        "(" * 150,
        "batch\n+ 1)",
        "__import__('os')",
        "x := 1",
        "1" * (LONGEST_EXPRESSION + 1),
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        evaluated(text, SYMBOLS | {"x": 1})


def test_a_division_rounds_down_and_by_zero_has_no_value() -> None:
    assert evaluated("7 // 2", {}) == 3
    for text in ("1 // 0", "1 % 0", "ceil_div(1, 0)"):
        with pytest.raises(ExpressionError, match=re.escape("divides by zero")):
            evaluated(text, {})


def test_a_fraction_is_refused_with_both_ways_to_divide() -> None:
    with pytest.raises(ExpressionError, match=re.escape("write // (rounded down) or ceil_div(a, b)")):
        evaluated("batch / 2", SYMBOLS)


def test_an_unknown_symbol_is_named() -> None:
    with pytest.raises(UnknownSymbol) as error:
        evaluated("batch * frames", SYMBOLS)
    assert error.value.name == "frames"


def test_the_names_of_an_expression_are_its_symbols_in_order_without_its_functions() -> None:
    assert names_in("min(b, a) * b + ceil_div(c, 2)") == ("b", "a", "c")
    assert names_in(3) == ()


def test_names_that_expressions_take_are_no_symbols() -> None:
    assert is_symbol_name("kv_tokens")
    assert not any(map(is_symbol_name, ("batch", "min", "max", "ceil_div", "kv-tokens", "2d", "")))


@given(numbers, numbers, numbers.filter(bool))
def test_expressions_follow_the_rules_of_python(a: int, b: int, c: int) -> None:
    symbols = {"a": a, "b": b, "c": c}
    assert evaluated("a + b * c - (a - b) // c % c", symbols) == a + b * c - (a - b) // c % c
    assert evaluated("ceil_div(a, c)", symbols) == ceil_div(a, c) == -(-a // c)


@given(st.text(alphabet="ab01 +-*/%(),.", max_size=30))
def test_any_text_has_a_value_or_a_reason_in_one_line(text: str) -> None:
    said = value_or_reason(text)
    assert isinstance(said, int) or (said and "\n" not in said)


def value_or_reason(text: str) -> int | str:
    """Return the value of *text* where a is 3 and b is 5, or why it has none."""
    try:
        return evaluated(text, {"a": 3, "b": 5})
    except (ExpressionError, UnknownSymbol) as error:
        return str(error)


def spec_of(**changes: object) -> Spec:
    fields = {
        "megasolve": "spec/v1",
        "name": "tts",
        "device": "gpu",
        "precision": "bf16",
        "batches": (1, 4),
        "symbols": {"layers": 16},
        "groups": ({"name": "B", "role": "producer", "shapes": {"tokens": 9}}, {"name": "C", "role": "consumer", "left_context_frames": 2}),
        "contracts": (),
        "records": (),
    }
    return Spec.model_validate(fields | changes)


def test_a_group_knows_the_symbols_of_the_spec_the_batch_and_its_own_shapes() -> None:
    spec = spec_of()
    assert symbols_of(spec, "B") == {"layers", "batch", "tokens"}
    assert symbols_of(spec, "C") == {"layers", "batch", "frames"}


def test_symbols_take_the_value_of_the_planned_batch() -> None:
    spec = spec_of()
    assert symbol_values(spec, "B", 4) == {"layers": 16, "tokens": 9, "batch": 4}
    assert symbol_values(spec, "C", 1, frames=3) == {"layers": 16, "frames": 3, "batch": 1}
