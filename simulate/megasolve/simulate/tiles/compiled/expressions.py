"""Expressions of the kernel as instructions: whole numbers, cells of the memory, tests, and calls of its own functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType

from .body import NUMBER, OUTCOME, Body

MEMORY = "m"
"""The name that every function has for the memory, its first argument."""

RAISED = "raised"
"""The block at which a function gives up."""

OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.LShift: "shl",
    ast.RShift: "ashr",
}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "slt",
    ast.LtE: "sle",
    ast.Gt: "sgt",
    ast.GtE: "sge",
}
EXTREMES = {"min": "smin", "max": "smax"}


class Untranslatable(Exception):
    """A line of the kernel that is not in the part of Python which can be compiled."""


@dataclass(frozen=True, slots=True)
class CalledFunction:
    """A translated function: its name in LLVM, and whether it may fail."""

    symbol: str
    fails: bool


class Expressions:
    """Adds to a *body* what computes expressions of a function with these *scope* and *variables*."""

    def __init__(
        self, body: Body, scope: Mapping[str, object], variables: tuple[str, ...], called: Callable[[FunctionType], CalledFunction]
    ) -> None:
        self._body = body
        self._scope = scope
        self._variables = variables
        self._called = called
        self.fails = False

    def number(self, node: ast.expr) -> str:
        """Return the number that *node* comes to; a test comes to 0 or 1."""
        match node:
            case ast.Constant(value=bool() | int() as value):
                found = str(int(value))
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
                found = str(-value)
            case ast.Name(id=name):
                found = self._body.read(name) if name in self._variables else self._constant(node, name)
            case ast.Subscript(value=ast.Name(id="m"), slice=place):
                found = self._body.value(f"load {NUMBER}, ptr {self.cell(place)}")
            case ast.BinOp(left=left, op=operator, right=right):
                found = self.operation(node, operator, self.number(left), self.number(right))
            case ast.IfExp(test=test, body=yes, orelse=no):
                found = self._choice(test, yes, no)
            case ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                found = self._choice(node, ast.Constant(1), ast.Constant(0))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                found = self._call(node, name, arguments)
            case _:
                raise self.refused(node)
        return found

    def cell(self, place: ast.expr) -> str:
        """Return the address of the cell of the memory at *place*."""
        return self._body.value(f"getelementptr {NUMBER}, ptr %{MEMORY}, {NUMBER} {self.number(place)}")

    def operation(self, node: ast.AST, operator: ast.operator, left: str, right: str) -> str:
        """Return what *operator* makes of two numbers."""
        if isinstance(operator, ast.FloorDiv):
            return self._quotient(left, right)
        if type(operator) not in OPERATORS:
            raise self.refused(node)
        return self._body.value(f"{OPERATORS[type(operator)]} {NUMBER} {left}, {right}")

    def branch(self, test: ast.expr, yes: str, no: str) -> None:
        """Go to the block *yes* where *test* holds, else to *no*."""
        match test:
            case ast.BoolOp(op=operator, values=[*firsts, last]):
                for first in firsts:
                    follows = self._body.label()
                    self.branch(first, *((follows, no) if isinstance(operator, ast.And) else (yes, follows)))
                    self._body.begin(follows)
                self.branch(last, yes, no)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self.branch(operand, no, yes)
            case ast.Compare(left=left, ops=[comparison], comparators=[right]) if type(comparison) in COMPARISONS:
                numbers = f"{self.number(left)}, {self.number(right)}"
                self._body.split(self._body.value(f"icmp {COMPARISONS[type(comparison)]} {NUMBER} {numbers}"), yes, no)
            case ast.Compare():
                raise self.refused(test)
            case _:
                self._body.split(self._body.value(f"icmp ne {NUMBER} {self.number(test)}, 0"), yes, no)

    def refused(self, node: ast.AST) -> Untranslatable:
        """Say that *node* cannot be translated."""
        return Untranslatable(f"{self._scope.get('__name__')}: line {getattr(node, 'lineno', 0)}: cannot compile '{ast.unparse(node)}'")

    def _constant(self, node: ast.expr, name: str) -> str:
        value = self._scope.get(name)
        if not isinstance(value, int):
            raise self.refused(node)
        return str(value)

    def _choice(self, test: ast.expr, yes: ast.expr, no: ast.expr) -> str:
        """Return the number *yes* where *test* holds, else *no*; only one of them is worked out."""
        chosen, follows = self._body.spare(), self._body.label()
        labels = self._body.label(), self._body.label()
        self.branch(test, *labels)
        for label, value in zip(labels, (yes, no), strict=True):
            self._body.begin(label)
            self._body.write(chosen, self.number(value))
            self._body.jump(follows)
        self._body.begin(follows)
        return self._body.read(chosen)

    def _quotient(self, left: str, right: str) -> str:
        """Return the quotient rounded down; the machine rounds towards 0."""
        body = self._body
        cut = body.value(f"sdiv {NUMBER} {left}, {right}")
        rest = body.value(f"srem {NUMBER} {left}, {right}")
        is_below = body.value(f"icmp slt {NUMBER} {body.value(f'xor {NUMBER} {rest}, {right}')}, 0")
        is_cut = body.value(f"and i1 {is_below}, {body.value(f'icmp ne {NUMBER} {rest}, 0')}")
        return body.value(f"add {NUMBER} {cut}, {body.value(f'sext i1 {is_cut} to {NUMBER}')}")

    def _call(self, node: ast.Call, name: str, arguments: list[ast.expr]) -> str:
        function = self._scope.get(name)
        match arguments:
            case [left, right] if name in EXTREMES:
                numbers = f"{NUMBER} {self.number(left)}, {NUMBER} {self.number(right)}"
                return self._body.value(f"call {NUMBER} @llvm.{EXTREMES[name]}.{NUMBER}({numbers})")
            case [ast.Name(id="m")] if name == "len":
                return "%m.size"
            case [ast.Name(id="m"), *others] if isinstance(function, FunctionType):
                return self._result(self._called(function), [self.number(argument) for argument in others])
            case _:
                raise self.refused(node)

    def _result(self, called: CalledFunction, numbers: list[str]) -> str:
        """Return what a function makes of *numbers*; where it fails, so does this one."""
        given = "".join(f", {NUMBER} {number}" for number in numbers)
        call = f"@{called.symbol}(ptr %{MEMORY}, {NUMBER} %m.size{given})"
        if not called.fails:
            return self._body.value(f"call {NUMBER} {call}")
        self.fails = True
        outcome, follows = self._body.value(f"call {OUTCOME} {call}"), self._body.label()
        self._body.split(self._body.value(f"extractvalue {OUTCOME} {outcome}, 1"), RAISED, follows)
        self._body.begin(follows)
        return self._body.value(f"extractvalue {OUTCOME} {outcome}, 0")
