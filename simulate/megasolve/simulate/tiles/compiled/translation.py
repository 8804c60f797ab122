"""The kernel in the assembly language of LLVM: one module with a function for each of those that it calls.

The kernel keeps to a small part of Python: functions of whole numbers, and of the one array that is their first argument. What it says is
read from its source, so that there is one; a line outside that part is refused.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Mapping
from functools import cache
from types import FunctionType

from .body import NUMBER, OUTCOME, Body
from .expressions import MEMORY, RAISED, CalledFunction, Expressions, Untranslatable
from .statements import DONE, RETURN, Statements

ENTRY = "run_tiles"
"""The function that is called from outside, with the memory and its size; it returns -1 where the memory is too small."""


def translated(entry: FunctionType, replaced: Mapping[FunctionType, FunctionType]) -> str:
    """Return *entry*, and all functions that it calls, as a module; what *replaced* has for one stands in its place."""
    translation = _Translation(replaced)
    called = translation.called(entry)
    extremes = (f"declare {NUMBER} @llvm.{name}.{NUMBER}({NUMBER}, {NUMBER})" for name in ("smin", "smax"))
    return "\n".join((*extremes, *translation.functions, *_entry(called), ""))


def _entry(called: CalledFunction) -> list[str]:
    call = f"@{called.symbol}(ptr %{MEMORY}, {NUMBER} %m.size)"
    lines = [f"  %told = call {NUMBER} {call}"]
    if called.fails:
        lines = [
            f"  %outcome = call {OUTCOME} {call}",
            f"  %number = extractvalue {OUTCOME} %outcome, 0",
            f"  %failed = extractvalue {OUTCOME} %outcome, 1",
            f"  %told = select i1 %failed, {NUMBER} -1, {NUMBER} %number",
        ]
    return [f"define {NUMBER} @{ENTRY}(ptr %{MEMORY}, {NUMBER} %m.size) {{", *lines, f"  ret {NUMBER} %told", "}"]


class _Translation:
    """Translates each function once."""

    def __init__(self, replaced: Mapping[FunctionType, FunctionType]) -> None:
        self._replaced = replaced
        self._known: dict[FunctionType, CalledFunction | None] = {}
        self.functions: list[str] = []

    def called(self, function: FunctionType) -> CalledFunction:
        """Return what stands for *function*, translated if it has not been."""
        function = self._replaced.get(function, function)
        if function not in self._known:
            self._known[function] = None
            self._known[function] = self._translate(function)
        known = self._known[function]
        if known is None:
            raise Untranslatable(f"{function.__module__}.{function.__name__} calls itself")
        return known

    def _translate(self, function: FunctionType) -> CalledFunction:
        symbol = f"{function.__module__}.{function.__name__}"
        names, count = function.__code__.co_varnames, function.__code__.co_argcount
        if not names or names[0] != MEMORY:
            raise Untranslatable(f"the first argument of {symbol} is not '{MEMORY}'")
        body = Body()
        expressions = Expressions(body, function.__globals__, names[1:], self.called)
        for name in names[1:count]:
            body.write(name, f"%a.{name}")
        body.write(RETURN, "0")
        Statements(body, expressions).block(_definition(function).body)
        body.begin(DONE)
        _end(body, is_failing=expressions.fails)
        kind = OUTCOME if expressions.fails else NUMBER
        arguments = "".join(f", {NUMBER} %a.{name}" for name in names[1:count])
        heading = f"define internal {kind} @{symbol}(ptr %{MEMORY}, {NUMBER} %m.size{arguments}) nounwind {{"
        self.functions += [heading, *body.lines(), "}"]
        return CalledFunction(symbol, expressions.fails)


def _end(body: Body, *, is_failing: bool) -> None:
    number = body.read(RETURN)
    if not is_failing:
        body.end(f"ret {NUMBER} {number}")
        return
    body.end(f"ret {OUTCOME} {body.value(f'insertvalue {OUTCOME} zeroinitializer, {NUMBER} {number}, 0')}")
    body.begin(RAISED)
    body.end(f"ret {OUTCOME} {{ {NUMBER} 0, i1 true }}")


def _definition(function: FunctionType) -> ast.FunctionDef:
    return _definitions(function.__module__)[function.__name__]


@cache
def _definitions(module: str) -> dict[str, ast.FunctionDef]:
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
