"""What one launch computes, as an operator of a program: its sizes, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...operators.kind import Widths
from ...operators.kinds import OPERATOR_KINDS
from ...operators.work import OperatorWork


@dataclass(frozen=True, slots=True)
class Shaped:
    """An operator *name* of *kind*, *times* of it in one launch, with the bytes of its elements and of those of its weights.

    *parameters* are those of the model that it reads, of a table all of them although only some rows pass: operands that are no weights
    count for nothing.
    """

    name: str
    kind: str
    sizes: tuple[tuple[str, int], ...]
    element_bytes: int
    weight_element_bytes: int | None = None
    has_bias: bool = False
    times: int = 1
    parameters: int = 0

    @property
    def shape(self) -> Mapping[str, int]:
        """Its sizes by name."""
        return dict(self.sizes)

    @property
    def flops(self) -> int:
        """What it computes, all times together."""
        return self.times * self.work.flops

    @property
    def moved_bytes(self) -> int:
        """What it moves at least, each tensor once, all times together."""
        return self.times * sum(tensor.size_bytes for tensor in self.work.tensors)

    @property
    def work(self) -> OperatorWork:
        """One time of it."""
        weight = self.element_bytes if self.weight_element_bytes is None else self.weight_element_bytes
        widths = Widths(self.element_bytes, weight, self.element_bytes, int(self.has_bias))
        return OPERATOR_KINDS[self.kind].work_at(self.shape, widths)


@dataclass(frozen=True, slots=True)
class MovedBytes:
    """An operator *name* of which only the bytes are told: what it reads of *weights* and activations, and what it writes."""

    name: str
    weight_bytes: int
    read_bytes: int
    written_bytes: int
    parameters: int = 0

    @property
    def flops(self) -> int:
        """Nothing that is known."""
        return 0

    @property
    def moved_bytes(self) -> int:
        """All that it moves."""
        return self.weight_bytes + self.read_bytes + self.written_bytes


Computed = Shaped | MovedBytes


def sizes(**named: int) -> tuple[tuple[str, int], ...]:
    """Return sizes as a value that can be compared."""
    return tuple(named.items())
