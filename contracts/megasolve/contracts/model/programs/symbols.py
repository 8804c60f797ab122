"""Symbols: whole-number expressions over the sizes that a spec names, such as `2 * batch` or `ceil_div(frames, 4)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from operator import add, floordiv, mod, mul, sub
from typing import Annotated, Any

from pydantic import PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from ...operators.work import ceil_div
from ..errors import MegasolveError

LONGEST_EXPRESSION = 200
BATCH = "batch"

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TOKEN = re.compile(r"\s*(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+(?![A-Za-z0-9_.])|[-+*/%(),]|$)")
_OPERATIONS: dict[type[ast.operator], tuple[str, Callable[[int, int], int]]] = {
    ast.Add: ("+", add),
    ast.Sub: ("-", sub),
    ast.Mult: ("*", mul),
    ast.FloorDiv: ("//", floordiv),
    ast.Mod: ("%", mod),
}
_GRAMMAR = "expected whole numbers, symbols, + - * // % ( ), ceil_div(a, b), min or max"


_FUNCTIONS: dict[str, tuple[int, Callable[..., int]]] = {"ceil_div": (2, ceil_div), "max": (2, max), "min": (2, min)}
RESERVED_NAMES = frozenset({BATCH, *_FUNCTIONS})


class ExpressionError(MegasolveError):
    """A text that is no whole-number expression, or one that has no value."""


class UnknownSymbol(MegasolveError):
    """An expression over a symbol that has no value here; *name* is the symbol."""

    def __init__(self, name: str) -> None:
        super().__init__(f"symbol '{name}' has no value")
        self.name = name


def _extent(value: object) -> int | str:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise PydanticCustomError("extent_type", "expected a whole number, or an expression over symbols", {})
    return value


Extent = Annotated[
    int | str,
    PlainValidator(_extent),
    WithJsonSchema(
        {
            "anyOf": [{"type": "integer"}, {"type": "string", "minLength": 1}],
            "description": "a whole number, or an expression over the spec's symbols and batch: + - * // % ( ) ceil_div(a, b) min max",
        }
    ),
]


def is_symbol_name(name: str) -> bool:
    """Return whether an expression can name *name*: letters, digits and underscores, and none of the reserved names."""
    return _NAME.fullmatch(name) is not None and name not in RESERVED_NAMES


# A study has few of them, and each is asked for at every batch and by every rule.
@lru_cache(maxsize=4096)
def parsed(text: str) -> ast.expr:
    """Return the tree of the expression *text*, which nobody changes.

    Raises
    ------
    ExpressionError
        Anything but whole numbers, symbols, + - * // %, parentheses, ceil_div, min and max stands in it.
    """
    if len(text) > LONGEST_EXPRESSION:
        raise ExpressionError(f"{len(text)} characters, at most {LONGEST_EXPRESSION}")
    _refuse_foreign_text(text)
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ExpressionError(f"cannot be read; {_GRAMMAR}") from None
    for node in _parts(tree):
        _refuse_foreign(node)
    return tree


def _refuse_foreign_text(text: str) -> None:
    position = 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            raise ExpressionError(f"cannot be read at {text[position:].strip()[:12]!r}; {_GRAMMAR}")
        position = token.end()


def _parts(tree: ast.expr) -> Iterator[ast.expr]:
    """Yield *tree* and its operands, without the names of the functions that it calls."""
    yield tree
    operands = tree.args if isinstance(tree, ast.Call) else [node for node in ast.iter_child_nodes(tree) if isinstance(node, ast.expr)]
    for operand in operands:
        yield from _parts(operand)


def _refuse_foreign(node: ast.expr) -> None:
    match node:
        case ast.Constant(value=bool()):
            raise ExpressionError("a truth value is no number")
        case ast.Constant(value=int()) | ast.Name() | ast.UnaryOp(op=ast.USub()):
            return
        case ast.BinOp(op=ast.Div()):
            raise ExpressionError("'/' is not whole; write // (rounded down) or ceil_div(a, b)")
        case ast.BinOp(op=operation) if type(operation) in _OPERATIONS:
            return
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            _refuse_arguments(name, len(args))
        case _:
            raise ExpressionError(f"cannot be read; {_GRAMMAR}")


def _refuse_arguments(name: str, count: int) -> None:
    least = _FUNCTIONS[name][0]
    if count < least or (name == "ceil_div" and count > least):
        raise ExpressionError(f"{name} takes {least}{'' if name == 'ceil_div' else ' or more'} arguments, found {count}")


def names_in(extent: int | str) -> tuple[str, ...]:
    """Return the symbols that *extent* is written over, each once, in their order; *extent* must be readable."""
    if isinstance(extent, int):
        return ()
    return tuple(dict.fromkeys(node.id for node in _parts(parsed(extent)) if isinstance(node, ast.Name)))


def evaluated(extent: int | str, symbols: Mapping[str, int]) -> int:
    """Return the value of *extent*, exactly.

    Raises
    ------
    ExpressionError
        The expression cannot be read, or divides by zero.
    UnknownSymbol
        A symbol of the expression is not in *symbols*.
    """
    return extent if isinstance(extent, int) else _value(parsed(extent), symbols)


def _value(node: Any, symbols: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name):
            if name not in symbols:
                raise UnknownSymbol(name)
            return symbols[name]
        case ast.UnaryOp(operand=operand):
            return -_value(operand, symbols)
        case ast.Call(func=ast.Name(id=name), args=args):
            return _applied(_FUNCTIONS[name][1], name, [_value(part, symbols) for part in args])
    sign, operation = _OPERATIONS[type(node.op)]
    return _applied(operation, sign, [_value(node.left, symbols), _value(node.right, symbols)])


def _applied(operation: Callable[..., int], sign: str, values: list[int]) -> int:
    try:
        return operation(*values)
    except ZeroDivisionError:
        raise ExpressionError(f"divides by zero ({values[0]} {sign} 0)") from None
