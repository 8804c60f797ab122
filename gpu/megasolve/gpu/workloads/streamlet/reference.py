"""The reference: what each group of streamlet computes, written down in float64 without tiles, on the same arenas as the kernels.

It shares with the kernels the layout of tensors and the meaning of the weights, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...programs.arenas import Arenas, from_bfloat16
from ...programs.group_calls import Call
from .model import Model

Floats = NDArray[np.float64]

_EPSILON = 1e-5
_ROTARY_BASE = 10000.0


def reference(model: Model, before: Arenas, calls: Iterable[Call]) -> Arenas:
    """Return what the arenas hold after *calls*, which run in this order on a copy of *before* in float64."""
    after = before.copied(np.float64)
    for call in calls:
        advance(model, after, call)
    return after


def advance(model: Model, arenas: Arenas, call: Call) -> None:
    """Run *call* on *arenas*, whose floats are float64."""
    _GROUPS[call.group](_Run(model, arenas), call.number)


def margin(after: Arenas, call: Call) -> float:
    """Return how far the two best tokens of *call*, which ran last, are apart, over the spread of their logits; infinite without two."""
    if call.group not in ("P", "L") or after.layout["embedding"].shape[0] == 1:
        return float("inf")
    logits = np.asarray(after.view(f"{call.group}.logits"), np.float64)
    # The last two are the second largest and the largest, in this order.
    best = np.partition(logits, -2, axis=-1)[:, -2:]
    return float(np.min((best[:, 1] - best[:, 0]) / np.std(logits, axis=-1)))


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """The model on one set of arenas; views write through."""

    model: Model
    arenas: Arenas

    def floats(self, name: str) -> Floats:
        """Return a tensor of activations, caches or states."""
        return np.asarray(self.arenas.view(name), np.float64)

    def ids(self, name: str) -> NDArray[np.int32]:
        """Return a tensor of tokens."""
        return np.asarray(self.arenas.view(name), np.int32)

    def weight(self, name: str, *layer: int) -> Floats:
        """Return a weight, of one layer where there are several."""
        bits = np.asarray(self.arenas.view(name), np.uint16)
        return from_bfloat16(bits[layer])

    def tokens(self, step: int) -> NDArray[np.int32]:
        """Return the tokens of *step*, one to a sequence."""
        place = self.model.token(step)
        return self.arenas.ids[place.offset :: place.leading][: self.model.sizes.batch]

    def norm(self, x: Floats, weight: Floats) -> Floats:
        """Divide each row by its root mean square."""
        scaled: Floats = x / np.sqrt((x * x).mean(-1, keepdims=True) + _EPSILON) * weight
        return scaled


def _prefill(run: _Run, _: int) -> None:
    sizes = run.model.sizes
    run.floats("P.x")[:] = run.weight("embedding")[run.ids("prompt").ravel()]
    positions = np.tile(np.arange(sizes.prompt), sizes.batch)
    for layer in range(sizes.layers):
        _attend(run, "P", layer, positions, _prefill_scores)
        _feed_forward(run, "P", layer)
    # The last token of each prompt gives the token of step 0.
    _head(run, "P", run.floats("P.x")[sizes.prompt - 1 :: sizes.prompt], 0)


def _decode(run: _Run, step: int) -> None:
    sizes = run.model.sizes
    run.floats("B.x")[:] = run.weight("embedding")[run.tokens(step - 1)]
    positions = np.full(sizes.batch, sizes.prompt + step - 1)
    for layer in range(sizes.layers):
        _attend(run, "B", layer, positions, _decode_scores)
        _state_space(run, layer)
        _feed_forward(run, "B", layer)


def _attend(run: _Run, group: str, layer: int, positions: NDArray[np.int64], seen: Callable[[NDArray[np.int64], int], Floats]) -> None:
    """Add attention to x: rows are tokens at *positions*, sequence by sequence; *seen* gives 0 or -inf for each key of a row."""
    sizes, x = run.model.sizes, run.floats(f"{group}.x")
    rows, per_sequence = len(x), len(x) // sizes.batch
    normed = run.floats(f"{group}.normed")
    normed[:] = run.norm(x, run.weight("norm_1", layer))
    qkv = run.floats(f"{group}.qkv")
    qkv[:] = normed @ run.weight("qkv", layer).T
    # Splitting the last axis keeps a view, so that what is turned stands in qkv.
    turned = qkv[:, : sizes.attention_width + sizes.kv_width].reshape(rows, sizes.heads + sizes.kv_heads, sizes.head_dim)
    turned[:] = _turned(turned, positions)
    keys, values = (
        part.reshape(sizes.batch, per_sequence, sizes.kv_heads, sizes.head_dim)
        for part in np.split(qkv[:, sizes.attention_width :], 2, axis=1)
    )
    first, last = int(positions[0]), int(positions[0]) + per_sequence
    run.floats("k_cache")[layer, :, :, first:last] = keys.swapaxes(1, 2)
    run.floats("v_cache")[layer, :, :, first:last] = values.swapaxes(1, 2)
    attended = run.floats(f"{group}.attended")
    queries = qkv[:, : sizes.attention_width].reshape(sizes.batch, per_sequence, sizes.kv_heads, -1, sizes.head_dim)
    attended[:] = _attention(run, layer, queries, seen(positions, last)).reshape(rows, -1)
    x += attended @ run.weight("o", layer).T


def _prefill_scores(positions: NDArray[np.int64], last: int) -> Floats:
    """A query of the prefill sees the keys up to its own."""
    return np.where(np.arange(last) <= positions[:last, None], 0.0, -np.inf)


def _decode_scores(_: NDArray[np.int64], last: int) -> Floats:
    """A query of a step sees all keys so far."""
    return np.zeros((1, last))


def _attention(run: _Run, layer: int, queries: Floats, mask: Floats) -> Floats:
    """Attention of queries (sequence, token, kv head, head of its group, :) over the first keys of the caches."""
    keys = run.floats("k_cache")[layer, :, :, : mask.shape[1]]
    values = run.floats("v_cache")[layer, :, :, : mask.shape[1]]
    scores = np.einsum("bthgd,bhkd->bhgtk", queries, keys) / np.sqrt(queries.shape[-1]) + mask
    # The largest score is taken off, so that no exponential overflows.
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    found: Floats = np.einsum("bhgtk,bhkd->bthgd", weights, values)
    return found


def _turned(heads: Floats, positions: NDArray[np.int64]) -> Floats:
    """Rotary embedding: pairs half a head apart are turned by their position."""
    half = heads.shape[-1] // 2
    angles = positions[:, None] * _ROTARY_BASE ** (-2 * np.arange(half) / heads.shape[-1])
    cosines, sines = np.cos(angles)[:, None], np.sin(angles)[:, None]
    first, second = heads[..., :half], heads[..., half:]
    return np.concatenate([first * cosines - second * sines, second * cosines + first * sines], axis=-1)


def _state_space(run: _Run, layer: int) -> None:
    """Add one step of the state-space layer to x (Mamba-2 with one group)."""
    sizes, x = run.model.sizes, run.floats("B.x")
    normed, projected = run.floats("B.normed"), run.floats("B.projected")
    normed[:] = run.norm(x, run.weight("norm_2", layer))
    projected[:] = normed @ run.weight("state_in", layer).T
    width, states = sizes.state_width, sizes.states
    inputs, b, c, dt = np.split(projected, [width, width + states, width + 2 * states], axis=1)
    inputs = inputs.reshape(sizes.batch, sizes.state_heads, sizes.state_head_dim)
    # The softplus of the sum, which does not overflow in this form.
    dt = np.logaddexp(0.0, dt + run.weight("dt_bias", layer))
    state = run.floats("state")[layer]
    state *= np.exp(-dt * np.exp(run.weight("a_log", layer)))[..., None, None]
    state += (dt[..., None] * inputs)[..., None] * b[:, None, None, :]
    stepped = run.floats("B.stepped")
    out = np.einsum("bhpn,bn->bhp", state, c) + run.weight("d", layer)[:, None] * inputs
    stepped[:] = out.reshape(sizes.batch, -1)
    x += stepped @ run.weight("state_out", layer).T


def _feed_forward(run: _Run, group: str, layer: int) -> None:
    x, normed = run.floats(f"{group}.x"), run.floats(f"{group}.normed")
    normed[:] = run.norm(x, run.weight("norm_3", layer))
    up, gated = run.floats(f"{group}.up"), run.floats(f"{group}.gated")
    up[:] = normed @ run.weight("up", layer).T
    gate, values = np.split(up, 2, axis=1)
    gated[:] = gate / (1 + np.exp(-gate)) * values
    x += gated @ run.weight("down", layer).T


def _head(run: _Run, group: str, hidden: Floats, step: int) -> None:
    last, logits = run.floats(f"{group}.last"), run.floats(f"{group}.logits")
    last[:] = run.norm(hidden, run.weight("norm_f"))
    logits[:] = last @ run.weight("head").T
    run.tokens(step)[:] = logits.argmax(-1)


def _codec(run: _Run, chunk: int) -> None:
    sizes = run.model.sizes
    first = run.model.codes(chunk)
    codes = run.floats("C.codes")
    codes[:] = run.weight("codes")[run.arenas.ids[first : first + len(codes)]]
    run.floats("C.projected")[:] = codes @ run.weight("project").T
    _upsample(run, 1, "projected", "upsampled", sizes.frames)
    upsampled = run.floats("C.upsampled")
    run.floats("C.snaked")[:] = upsampled + np.sin(upsampled) ** 2
    _upsample(run, 2, "snaked", "raw", sizes.frames * sizes.upsample_1)
    run.floats("samples")[chunk - 1] = np.tanh(run.floats("C.raw")).reshape(-1, sizes.frame_samples)


def _upsample(run: _Run, stage: int, source: str, target: str, t_in: int) -> None:
    """Transposed convolution, sequence by sequence; what would lie behind the last input's stride is cut off."""
    x, weight = run.floats(f"C.{source}"), run.weight(f"upsample_{stage}")
    kernel, stride = len(weight), len(weight) // 2
    inputs = x.reshape(-1, t_in, x.shape[1])
    out = np.zeros((len(inputs), t_in * stride + kernel, weight.shape[1]))
    for s in range(t_in):
        out[:, s * stride : s * stride + kernel] += np.einsum("bi,koi->bko", inputs[:, s], weight)
    y = run.floats(f"C.{target}")
    y[:] = out[:, : t_in * stride].reshape(y.shape) + run.weight(f"upsample_{stage}_bias")


_GROUPS: Mapping[str, Callable[[_Run, int], None]] = {
    "P": _prefill,
    "B": _decode,
    "L": lambda run, step: _head(run, "L", run.floats("B.x"), step),
    "C": _codec,
}
