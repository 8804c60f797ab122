"""What the kernels of one step compute, kernel by kernel, and what that says of the model: its weights, its batch, its floor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...profiles.execution import Kernel, OperatorCall
from .operands import tensors
from .recognizing import computed
from .shaped import Computed, Shaped

# One kernel of a call that launches several stands for it where it takes as much of its time, in hundredths.
_STANDS_FOR = 80


@dataclass(frozen=True, slots=True)
class PatternOperators:
    """What each kernel of a step computes (*by_place*, nothing where it is not known), and the *batch* and *tokens* of its activations."""

    by_place: tuple[tuple[Computed, ...], ...]
    recorded: int
    batch: int | None = None
    tokens: int | None = None


def pattern_operators(kernels: Sequence[Kernel]) -> PatternOperators:
    """Return what *kernels*, those of one step in order, compute."""
    calls = _standing_for(kernels)
    forms = Counter(call._replace(number=0) for call in calls if call is not None)
    rows = _activation_rows(forms)
    known = {form: computed(form, rows) for form in forms}
    found = tuple(() if call is None else known[call._replace(number=0)] for call in calls)
    return PatternOperators(found, sum(kernel.operator is not None for kernel in kernels), *_batch(forms, rows))


def _standing_for(kernels: Sequence[Kernel]) -> list[OperatorCall | None]:
    """Return for each kernel the call that it stands for: of several kernels of one call the longest, if it is nearly all of it."""
    times: dict[int, list[tuple[int, int]]] = {}
    for place, kernel in enumerate(kernels):
        if kernel.operator is not None:
            times.setdefault(kernel.operator.number, []).append((kernel.duration_ps or 0, place))
    stands = {max(each)[1] for each in times.values() if 100 * max(each)[0] >= _STANDS_FOR * sum(time for time, _ in each)}
    return [kernel.operator if place in stands else None for place, kernel in enumerate(kernels)]


def _activation_rows(forms: Iterable[OperatorCall]) -> frozenset[int]:
    """Return the rows that products with weights have on their side of the activations."""
    products = [one for call in forms for one in computed(call) if isinstance(one, Shaped) and one.kind == "matmul" and one.parameters]
    return frozenset(one.shape["m"] for one in products)


def _batch(forms: Mapping[OperatorCall, int], rows: frozenset[int]) -> tuple[int | None, int | None]:
    """Return the commonest batch and tokens whose product is the rows of products: the first sides of operands of three sides."""
    pairs: Counter[tuple[int, int]] = Counter()
    for form, times in forms.items():
        for pair in {(one.sides[0], one.sides[1]) for one in tensors(form) if one.rank == 3 and one.rows in rows}:
            pairs[pair] += times
    if not pairs:
        return None, None
    batch, tokens = max(pairs, key=lambda pair: (pairs[pair], pair))
    return batch, tokens
