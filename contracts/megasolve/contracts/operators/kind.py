"""A kind of operators: what a shape of it has, what it moves and computes, and how its output is cut into tiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from .work import OperatorWork

Sizes: TypeAlias = Mapping[str, int]
Contradictions: TypeAlias = Iterator[tuple[str, str]]
"""Sizes that other sizes contradict, each as its key and the fact."""


@dataclass(frozen=True, slots=True)
class Widths:
    """The bytes of one element, and whether there is a bias."""

    element: int
    weight: int
    state: int
    bias: int


def _nothing(_: Sizes) -> Contradictions:
    return iter(())


@dataclass(frozen=True, slots=True)
class OperatorKind:
    """All that is known of one kind of operators.

    The models of files take their keys and their schema from it, the checker its sentences, and expansion its tiles: the work
    of a shape says along which axes each tensor is cut, which columns of its inputs a tile reads, and how many rows more.

    Parameters
    ----------
    number
        Where messages, the schema and the table of `docs/files.md` list it.
    required
        The sizes that a shape must have.
    tile
        The sizes along which it is cut into tiles.
    work
        What one execution reads, writes and computes, from its sizes.
    optional
        The sizes that a shape may have, each with its usual value, if there is one.
    may_be_zero
        Those of its sizes that may be 0; all others are at least 1.
    contradictions
        What sizes that are fine one by one contradict in each other.
    relatives
        The family whose kinds share one geometry in a region, where it is more than the kind itself.
    parameter_bytes
        The bytes of an element of its weights and states where an operator states none; None: those of its activations.
    """

    number: int
    name: str
    required: tuple[str, ...]
    tile: tuple[str, ...]
    work: Callable[[Sizes, Widths], OperatorWork]
    optional: Mapping[str, int | None] = field(default_factory=dict)
    may_be_zero: frozenset[str] = frozenset()
    contradictions: Callable[[Sizes], Contradictions] = _nothing
    relatives: str = ""
    parameter_bytes: int | None = None

    @property
    def family(self) -> str:
        """The family whose kinds share one geometry in a region."""
        return self.relatives or self.name

    @property
    def known(self) -> tuple[str, ...]:
        """All sizes that a shape may have."""
        return (*self.required, *self.optional)

    def work_at(self, sizes: Sizes, widths: Widths) -> OperatorWork:
        """Return the work of a shape of *sizes*, which must be those of the kind; what it may leave out has its usual value."""
        usual = {key: value for key, value in self.optional.items() if value is not None}
        return self.work({**usual, **sizes}, widths)


def not_divided(sizes: Sizes, key: str, divisor: str) -> Contradictions:
    """Yield *divisor* where it does not divide *key*."""
    if sizes[key] % sizes[divisor]:
        yield divisor, f"{key} {sizes[key]} is no multiple of {divisor} {sizes[divisor]}"
