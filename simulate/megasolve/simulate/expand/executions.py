"""Executions: every run of an operator in a program, in which section it stands, and the execution that an edge leads to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .edges import OperatorEdge, Plan, Reach

PROLOGUE, BODY, EPILOGUE = range(3)


@dataclass(frozen=True, slots=True)
class OperatorRun:
    """One run of an operator: in which repeat of its block, and in which section."""

    operator: int
    repeat: int
    section: int


@dataclass(frozen=True, slots=True)
class Unrolled:
    """A plan whose block *body* repeats as the body (None: nothing does), with all other blocks unrolled."""

    plan: Plan
    body: int | None

    def executions(self) -> Iterator[OperatorRun]:
        """Yield the executions in program order; the first repeat of the body stands at the end of the prologue."""
        for number, (block, repeats) in enumerate(zip(self.plan.blocks, self.plan.repeats, strict=True)):
            section = EPILOGUE if self.body is not None and number > self.body else PROLOGUE
            # Of the body one repeat is unrolled, and one more stands for all others.
            for repeat in range(1, 2 if number == self.body else repeats + 1):
                yield from (OperatorRun(operator, repeat, section) for operator in block)
            if number == self.body:
                yield from (OperatorRun(operator, 2, BODY) for operator in block)

    def label(self, operator: int, repeat: int) -> str:
        """Name an execution; repeats of the body share their names, so that each finds the counters of the one before."""
        name, number = self.plan.operators[operator].operator.name, self.plan.block_number(operator)
        return name if number == self.body or self.plan.repeats[number] == 1 else f"{name}#{repeat}"

    def producer(self, execution: OperatorRun, edge: OperatorEdge) -> OperatorRun:
        """Return the execution that *edge* leads to."""
        if edge.reach is Reach.HERE:
            return OperatorRun(edge.producer, execution.repeat, execution.section)
        if edge.reach is Reach.BEFORE:
            return OperatorRun(edge.producer, execution.repeat - 1, execution.section)
        number = self.plan.block_number(edge.producer)
        section = PROLOGUE if self.body is None or number < self.body else BODY if number == self.body else EPILOGUE
        return OperatorRun(edge.producer, self.plan.repeats[number], section)

    def awaited(self, execution: OperatorRun) -> tuple[tuple[OperatorEdge, ...], tuple[OperatorEdge, ...]]:
        """Return the edges of *execution* into its own section, and those into the section before it."""
        here: list[OperatorEdge] = []
        before: list[OperatorEdge] = []
        for edge in self.plan.edges[execution.operator]:
            if edge.reach is Reach.BEFORE and execution.repeat == 1:
                continue
            section = self.producer(execution, edge).section
            if section == execution.section and not (section == BODY and edge.reach is Reach.BEFORE):
                here.append(edge)
            # Edges that reach further back are implied by kept ones: only such blocks become bodies, see `joins`.
            elif section >= execution.section - 1:
                before.append(edge)
        return tuple(here), tuple(before)
