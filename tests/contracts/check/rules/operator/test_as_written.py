"""Rules of programs as they are written: here how often they look at all operators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from megasolve.contracts.check.rules.operator import as_written
from megasolve.contracts.model.programs.operators import Operator
from tests.support.planning.operators import block, contract_with, on, stated


class Counted(tuple[Operator, ...]):
    """The operators of a block, which count how often all of them are gone through."""

    __slots__ = ()
    passes: ClassVar[int] = 0

    def __iter__(self) -> Iterator[Operator]:
        """Go through them once more."""
        Counted.passes += 1
        return super().__iter__()


def test_a_previous_repeat_is_looked_for_without_going_through_all_operators_for_each_dependency() -> None:
    def passes(operators: int) -> int:
        chain = [stated("o0", 1), *(stated(f"o{number}", 1, on(f"o{number - 1}")) for number in range(1, operators))]
        contract = contract_with(block(*chain))
        blocks = tuple(one.model_copy(update={"operators": Counted(one.operators)}) for one in contract.programs["B"])
        Counted.passes = 0
        assert list(as_written.previous_elsewhere.find(contract.model_copy(update={"programs": {"B": blocks}}))) == []
        return Counted.passes

    assert passes(3) == passes(30) > 0
