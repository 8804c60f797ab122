"""Statements of the kernel as instructions: assignments, loops, branches, and returns."""

from __future__ import annotations

import ast

from .body import NUMBER, Body
from .expressions import RAISED, Expressions

RETURN = "return"
"""The variable that a function returns."""

DONE = "done"
"""The block at which a function returns."""


class Statements:
    """Adds to a *body* what carries out statements, with *expressions* on it."""

    def __init__(self, body: Body, expressions: Expressions) -> None:
        self._body = body
        self._expressions = expressions
        self._loops: list[tuple[str, str]] = []
        """Where each loop around goes on, and where it ends."""

    def block(self, nodes: list[ast.stmt]) -> None:
        """Carry out *nodes* in order."""
        for node in nodes:
            self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                return
            case ast.Expr(value=ast.Call() as call):
                self._expressions.number(call)
            case ast.Assign(targets=targets, value=ast.Tuple(elts=values)):
                self._unpack(targets, values)
            case ast.Assign(targets=targets, value=value):
                number = self._expressions.number(value)
                for target in targets:
                    self._assign(target, number)
            case ast.AugAssign(target=target, op=operator, value=value):
                self._change(node, target, operator, value)
            case _:
                self._control(node)

    def _control(self, node: ast.stmt) -> None:
        match node:
            case ast.If(test=test, body=yes, orelse=no):
                self._if(test, yes, no)
            case ast.While(test=test, body=body, orelse=[]):
                self._while(test, body)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=limits), body=body, orelse=[]):
                self._for(name, limits, body)
            case ast.Continue():
                self._body.jump(self._loops[-1][0])
            case ast.Break():
                self._body.jump(self._loops[-1][1])
            case ast.Return(value=value):
                if value is not None:
                    self._body.write(RETURN, self._expressions.number(value))
                self._body.jump(DONE)
            case ast.Raise(exc=ast.Name(id="MemoryError")):
                self._expressions.fails = True
                self._body.jump(RAISED)
            case _:
                raise self._expressions.refused(node)

    def _unpack(self, targets: list[ast.expr], values: list[ast.expr]) -> None:
        numbers = [self._expressions.number(value) for value in values]
        for target in targets:
            if not isinstance(target, ast.Tuple) or len(target.elts) != len(numbers):
                raise self._expressions.refused(target)
            for one, number in zip(target.elts, numbers, strict=True):
                self._assign(one, number)

    def _assign(self, target: ast.expr, number: str) -> None:
        match target:
            case ast.Name(id=name):
                self._body.write(name, number)
            case ast.Subscript(value=ast.Name(id="m"), slice=place):
                self._store(self._expressions.cell(place), number)
            case _:
                raise self._expressions.refused(target)

    def _change(self, node: ast.stmt, target: ast.expr, operator: ast.operator, value: ast.expr) -> None:
        """Read *target*, work out *value*, and put what *operator* makes of both where the first was read."""
        match target:
            case ast.Name(id=name):
                before = self._body.read(name)
                self._body.write(name, self._expressions.operation(node, operator, before, self._expressions.number(value)))
            case ast.Subscript(value=ast.Name(id="m"), slice=place):
                cell = self._expressions.cell(place)
                before = self._body.value(f"load {NUMBER}, ptr {cell}")
                self._store(cell, self._expressions.operation(node, operator, before, self._expressions.number(value)))
            case _:
                raise self._expressions.refused(target)

    def _store(self, cell: str, number: str) -> None:
        self._body.do(f"store {NUMBER} {number}, ptr {cell}")

    def _if(self, test: ast.expr, yes: list[ast.stmt], no: list[ast.stmt]) -> None:
        labels, follows = (self._body.label(), self._body.label()), self._body.label()
        self._expressions.branch(test, *labels)
        for label, nodes in zip(labels, (yes, no), strict=True):
            self._body.begin(label)
            self.block(nodes)
            self._body.jump(follows)
        self._body.begin(follows)

    def _while(self, test: ast.expr, body: list[ast.stmt]) -> None:
        again, inside, follows = self._body.label(), self._body.label(), self._body.label()
        self._body.begin(again)
        self._expressions.branch(test, inside, follows)
        self._body.begin(inside)
        self._repeated(body, again, follows)
        self._body.jump(again)
        self._body.begin(follows)

    def _for(self, name: str, limits: list[ast.expr], body: list[ast.stmt]) -> None:
        """Count *name* up, or down where the step is a negative number; limits are worked out once."""
        if not 1 <= len(limits) <= 3:
            raise self._expressions.refused(limits[0])
        numbers = [self._expressions.number(limit) for limit in limits]
        first, end = ("0", numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])
        step = self._step(limits[2]) if len(limits) == 3 else 1
        counter = self._body.spare()
        again, inside, further, follows = (self._body.label() for _ in range(4))
        self._body.write(counter, first)
        self._body.begin(again)
        at = self._body.read(counter)
        self._body.split(self._body.value(f"icmp {'slt' if step > 0 else 'sgt'} {NUMBER} {at}, {end}"), inside, follows)
        self._body.begin(inside)
        self._body.write(name, at)
        self._repeated(body, further, follows)
        self._body.begin(further)
        self._body.write(counter, self._body.value(f"add {NUMBER} {at}, {step}"))
        self._body.jump(again)
        self._body.begin(follows)

    def _step(self, node: ast.expr) -> int:
        number = self._expressions.number(node)
        if not number.lstrip("-").isdigit() or not int(number):
            raise self._expressions.refused(node)
        return int(number)

    def _repeated(self, body: list[ast.stmt], further: str, follows: str) -> None:
        self._loops.append((further, follows))
        self.block(body)
        self._loops.pop()
