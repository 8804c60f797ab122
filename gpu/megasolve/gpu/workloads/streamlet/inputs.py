"""Inputs of one call by itself: what it reads is drawn at random, and everything else is poisoned."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ...programs.arenas import Arenas
from ...programs.group_calls import Call
from .model import Model
from .trials import blank, drawn


def timed_call(model: Model, group: str) -> Call:
    """Return the call whose sizes the programs state: of a producer the last step, in which the caches are as full as they get."""
    return Call(group, model.sizes.steps if group in ("B", "L") else 1)


def poisoned(model: Model, seed: int) -> Arenas:
    """Return arenas with random weights and prompts in which all that a call may write is NaN."""
    return drawn(model, np.random.default_rng(seed))


def drawn_inputs(model: Model, call: Call, seed: int) -> Arenas:
    """Return arenas without weights, with random values in all that *call* reads from others."""
    arenas = blank(model)
    _DRAWS[call.group](model, arenas, call.number, np.random.default_rng(seed))
    return arenas


def _prompt(model: Model, arenas: Arenas, _: int, random: np.random.Generator) -> None:
    arenas.view("prompt")[:] = random.integers(0, model.sizes.vocab, arenas.view("prompt").shape)


def _step(model: Model, arenas: Arenas, step: int, random: np.random.Generator) -> None:
    _tokens(model, arenas, random)
    arenas.view("state")[:] = random.standard_normal(arenas.view("state").shape)
    # What stands in the caches before the step: the prompt, and one token for each step before it.
    seen = model.sizes.prompt + step - 1
    for cache in ("k_cache", "v_cache"):
        filled = arenas.view(cache)[:, :, :, :seen]
        filled[:] = random.standard_normal(filled.shape)


def _head(_: Model, arenas: Arenas, __: int, random: np.random.Generator) -> None:
    # The head takes in what the backbone left, and no other activations.
    arenas.view("B.x")[:] = random.standard_normal(arenas.view("B.x").shape)


def _chunk(model: Model, arenas: Arenas, _: int, random: np.random.Generator) -> None:
    _tokens(model, arenas, random)


def _tokens(model: Model, arenas: Arenas, random: np.random.Generator) -> None:
    arenas.view("tokens")[:] = random.integers(0, model.sizes.vocab, arenas.view("tokens").shape)


_DRAWS: Mapping[str, Callable[[Model, Arenas, int, np.random.Generator], None]] = {"P": _prompt, "B": _step, "L": _head, "C": _chunk}
