"""Trials: random inputs of a model, what the reference makes of them, and how far a run of the kernels is from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import GpuError
from ...programs.arenas import Arenas, ArenaTensor, to_bfloat16
from ...programs.group_calls import Call
from ..comparing import ArrayDifference, differences_of, distance
from .model import Model
from .reference import advance, margin

LEAST_MARGIN = 1e-3
"""The two best tokens are at least this far apart, over the spread of their logits: closer ones could swap by rounding alone."""

_MOST_DRAWS = 200


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """What a run starts from (*before*, to be copied), and what the reference says that it leaves (*expected*).

    *draws* is how many inputs were drawn until one had no two tokens too close to call.
    """

    calls: tuple[Call, ...]
    before: Arenas
    expected: Arenas
    draws: int


def trial(model: Model, calls: Sequence[Call], seed: int, earlier: Sequence[Call] = (), *, least_margin: float = LEAST_MARGIN) -> Trial:
    """Return a trial of *calls*, after the *earlier* ones ran by the reference.

    All that no call has written is NaN, so that a tile which reads too early, or never writes, shows. Inputs whose two best tokens are
    closer than *least_margin* are drawn anew.

    Raises
    ------
    GpuError
        No input with clear tokens was found.
    """
    for draw in range(_MOST_DRAWS):
        # A generator for each draw, so that a draw does not depend on how much the ones before it took.
        start = drawn(model, np.random.default_rng([seed, draw]))
        before, early_margin = _watched(model, start, earlier)
        # In the precision of the kernels, so that both start from the same numbers.
        before = before.copied(np.float32)
        expected, late_margin = _watched(model, before, calls)
        if min(early_margin, late_margin) >= least_margin:
            return Trial(tuple(calls), before, expected, draw + 1)
    raise GpuError(f"{_MOST_DRAWS} random inputs had two best tokens closer than {least_margin} of their spread; ask for fewer steps")


def _watched(model: Model, before: Arenas, calls: Sequence[Call]) -> tuple[Arenas, float]:
    """Run *calls* one by one, and return the end and the least margin on the way."""
    now, least = before.copied(np.float64), float("inf")
    for call in calls:
        advance(model, now, call)
        least = min(least, margin(now, call))
    return now, least


def differences(found: Arenas, expected: Arenas) -> tuple[ArrayDifference, ...]:
    """Return every tensor of *found* that is too far from *expected*; empty if the run qualifies."""
    return tuple(_differences(found, expected))


def largest_distance(found: Arenas, expected: Arenas) -> float:
    """Return the largest relative L2 distance of a tensor, over the elements that have a value in both."""
    return max(distance(*_both(found, expected, tensor)) for tensor in expected.layout.tensors.values() if tensor.arena == "floats")


def _differences(found: Arenas, expected: Arenas) -> Iterator[ArrayDifference]:
    for name, tensor in expected.layout.tensors.items():
        if tensor.arena == "ids":
            yield from differences_of(name, found.view(name), expected.view(name), elements="tokens")
        elif tensor.arena == "floats":
            yield from differences_of(name, *_both(found, expected, tensor))


def _both(found: Arenas, expected: Arenas, tensor: ArenaTensor) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.asarray(found.view(tensor.name), np.float64), np.asarray(expected.view(tensor.name), np.float64)


def drawn(model: Model, random: np.random.Generator) -> Arenas:
    """Return arenas with random weights and prompts; activations and caches are NaN, recurrent states zero."""
    arenas = blank(model)
    for name, tensor in model.layout.tensors.items():
        if tensor.arena == "weights":
            arenas.view(name)[:] = to_bfloat16(_weights(name, tensor.shape, random))
    prompt = arenas.view("prompt")
    prompt[:] = random.integers(0, model.sizes.vocab, prompt.shape)
    return arenas


def blank(model: Model) -> Arenas:
    """Return arenas in which nothing has a value but recurrent states, which are zero."""
    sizes = model.layout.sizes
    weights, ids = np.zeros(sizes["weights"], np.uint16), np.zeros(sizes["ids"], np.int32)
    arenas = Arenas(model.layout, np.full(sizes["floats"], np.nan, np.float32), weights, ids)
    arenas.view("state")[:] = 0
    return arenas


def _weights(name: str, shape: tuple[int, ...], random: np.random.Generator) -> NDArray[np.float64]:
    """Draw weights of such a size that activations neither grow nor fade, and states forget over a few steps."""
    drawn = random.standard_normal(shape)
    match name:
        case "norm_1" | "norm_2" | "norm_3" | "norm_f":
            return 1 + drawn / 10
        case "a_log":
            return np.asarray(np.log(random.uniform(1, 8, shape)))
        case "dt_bias":
            return random.uniform(-3, 0, shape)
        case "embedding" | "codes" | "d" | "upsample_1_bias" | "upsample_2_bias":
            return drawn
        case "upsample_1" | "upsample_2":
            # Each output meets two taps of the kernel.
            return np.asarray(drawn / np.sqrt(2 * shape[-1]))
    return np.asarray(drawn / np.sqrt(shape[-1]))
