"""Inputs of one call by itself: what it reads is drawn at random, and everything else is poisoned."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ...errors import GpuError
from ...programs.arenas import Arenas
from ...programs.group_calls import Call
from ...workloads.streamlet.model import Model
from ...workloads.streamlet.reference import margin, reference
from ...workloads.streamlet.trials import LEAST_MARGIN, Trial, trial

_MOST_DRAWS = 50


def timed_call(model: Model, group: str) -> Call:
    """Return the call whose sizes the programs state: of a producer the last step, in which the caches are as full as they get."""
    return Call(group, model.sizes.steps if group in ("B", "L") else 1)


def poisoned(model: Model, seed: int) -> Arenas:
    """Return arenas with random weights and prompts in which all that a call may write is NaN."""
    return trial(model, (), seed).before


def drawn_inputs(model: Model, start: Arenas, call: Call, seed: int) -> Arenas:
    """Return *start* with random values in all that *call* reads from others."""
    arenas = start.copied()
    _DRAWS[call.group](model, arenas, call.number, np.random.default_rng(seed))
    return arenas


def call_trial(model: Model, start: Arenas, call: Call, seed: int) -> Trial:
    """Return a trial of *call* alone on *start*; inputs whose two best tokens are too close to call are drawn anew.

    Raises
    ------
    GpuError
        No inputs with clear tokens were found.
    """
    for draw in range(_MOST_DRAWS):
        before = drawn_inputs(model, start, call, seed + draw)
        expected = reference(model, before, [call])
        if margin(expected, call) >= LEAST_MARGIN:
            return Trial((call,), before, expected, draw + 1)
    raise GpuError(f"{call}: {_MOST_DRAWS} random inputs had two best tokens closer than {LEAST_MARGIN} of their spread")


def _prompt(model: Model, arenas: Arenas, _: int, random: np.random.Generator) -> None:
    arenas.view("prompt")[:] = random.integers(0, model.sizes.vocab, arenas.view("prompt").shape)


def _step(model: Model, arenas: Arenas, step: int, random: np.random.Generator) -> None:
    _tokens(model, arenas, random)
    arenas.view("state")[:] = random.standard_normal(arenas.view("state").shape)
    seen = model.sizes.prompt + step - 1
    for cache in ("k_cache", "v_cache"):
        filled = arenas.view(cache)[:, :, :, :seen]
        filled[:] = random.standard_normal(filled.shape)


def _head(_: Model, arenas: Arenas, __: int, random: np.random.Generator) -> None:
    arenas.view("B.x")[:] = random.standard_normal(arenas.view("B.x").shape)


def _chunk(model: Model, arenas: Arenas, _: int, random: np.random.Generator) -> None:
    _tokens(model, arenas, random)


def _tokens(model: Model, arenas: Arenas, random: np.random.Generator) -> None:
    arenas.view("tokens")[:] = random.integers(0, model.sizes.vocab, arenas.view("tokens").shape)


_DRAWS: Mapping[str, Callable[[Model, Arenas, int, np.random.Generator], None]] = {"P": _prompt, "B": _step, "L": _head, "C": _chunk}
