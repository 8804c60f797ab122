"""Streamlet: its sizes by the symbols of a spec, its tensors, and where a step's token lies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from megasolve.contracts import Spec
from megasolve.contracts.sizes.symbols import symbol_values

from ...errors import GpuError
from ...programs.arenas import ArenaName, Layout, Matrix, laid_out, matrix

GROUPS = {"P": "admission", "B": "producer", "L": "producer", "C": "consumer"}


@dataclass(frozen=True, slots=True)
class Sizes:
    """What the spec's symbols, the shapes of its consumer and its stream schedule say, at one batch."""

    batch: int
    layers: int
    dim: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    vocab: int
    state_heads: int
    state_head_dim: int
    states: int
    channels: int
    upsample_1: int
    upsample_2: int
    prompt: int
    steps: int
    frames: int
    delay: int

    @property
    def attention_width(self) -> int:
        """The columns of the queries."""
        return self.heads * self.head_dim

    @property
    def kv_width(self) -> int:
        """The columns of the keys, and of the values."""
        return self.kv_heads * self.head_dim

    @property
    def state_width(self) -> int:
        """The columns that a state-space step takes in, and gives out."""
        return self.state_heads * self.state_head_dim

    @property
    def capacity(self) -> int:
        """The tokens of a sequence that its caches hold."""
        return self.prompt + self.steps

    @property
    def frame_samples(self) -> int:
        """The samples of one frame."""
        return self.upsample_1 * self.upsample_2

    @property
    def chunks(self) -> int:
        """The chunks that all steps yield."""
        return max((self.steps - self.delay) // self.frames, 1)


@dataclass(frozen=True, slots=True)
class Model:
    """Streamlet at some sizes, with the place of each of its tensors.

    Tokens lie in blocks: (block, sequence, position), as many positions as a chunk has frames, so that the codes of a chunk are
    one piece. The token of step 0 is the one that the prefill samples.
    """

    sizes: Sizes
    layout: Layout

    def token(self, step: int) -> Matrix:
        """Return where the tokens of *step* lie, one to a sequence: the first, and from one to the next."""
        block, position = divmod(step + _token_offset(self.sizes), self.sizes.frames)
        return Matrix(self.layout["tokens"].at(block, 0, position), self.sizes.frames)

    def codes(self, chunk: int) -> int:
        """Return where the codes of *chunk*, counted from 1, begin: sequence by sequence, frame by frame."""
        return self.token(self.sizes.delay + 1 + (chunk - 1) * self.sizes.frames).offset

    def matrix(self, name: str, *index: int) -> Matrix:
        """Return the last two axes of a tensor as a matrix."""
        return matrix(self.layout[name], *index)


def model_of(spec: Spec, batch: int) -> Model:
    """Return streamlet as *spec* sizes it.

    Raises
    ------
    GpuError
        The groups of *spec* are not those of streamlet, a size is missing or makes no model, its chunks are not of one length, or the
        tensors are too large for the kernels.
    """
    _require_streamlet(spec)
    # The shapes of the consumer give the frames of a chunk, beside the symbols of the spec.
    values = {**symbol_values(spec, "C", batch), "delay": spec.stream.delay if spec.stream else 0}
    missing = [size.name for size in fields(Sizes) if size.name not in values]
    if missing:
        raise GpuError(f"spec '{spec.name}' gives no {', '.join(missing)}; the kernels of streamlet need each of its sizes as a symbol")
    sizes = Sizes(**{size.name: values[size.name] for size in fields(Sizes)})
    _require_sizes(spec, sizes)
    _require_chunks(spec, sizes)
    return Model(sizes, laid_out(_tensors(sizes)))


def _require_streamlet(spec: Spec) -> None:
    found = {group.name: group.role for group in spec.groups}
    if found != GROUPS or any(group.calls != 1 for group in spec.groups):
        shown = ", ".join(f"{group.name} ({group.role}, {group.calls} calls)" for group in spec.groups)
        raise GpuError(
            f"spec '{spec.name}' has the groups {shown}; the kernels make streamlet: P, B, L and C with one call each;"
            " contracts of other kernels name the workload that runs them"
        )


def _require_sizes(spec: Spec, sizes: Sizes) -> None:
    # A delay may be 0.
    values = {size.name: getattr(sizes, size.name) for size in fields(Sizes) if size.name != "delay"}
    empty = [f"{name} {value}" for name, value in values.items() if value < 1]
    if empty:
        raise GpuError(f"spec '{spec.name}' gives {', '.join(empty)}; the kernels of streamlet need at least 1 of each")
    if sizes.heads % sizes.kv_heads:
        raise GpuError(f"spec '{spec.name}': heads {sizes.heads} is no multiple of kv_heads {sizes.kv_heads}")


def _require_chunks(spec: Spec, sizes: Sizes) -> None:
    stream = spec.stream
    if stream is None or stream.interleave is not None or {stream.first_chunk, stream.next_chunk or stream.first_chunk} != {sizes.frames}:
        raise GpuError(f"spec '{spec.name}': every chunk of streamlet has the {sizes.frames} frames of C's shape, one for each step")


def _token_offset(sizes: Sizes) -> int:
    """Return what to add to a step so that the first code of a chunk is the first token of a block."""
    return -(sizes.delay + 1) % sizes.frames


def _tensors(sizes: Sizes) -> Iterator[tuple[ArenaName, str, tuple[int, ...]]]:
    for name, shape in (*_decoder_weights(sizes), *_codec_weights(sizes)):
        yield "weights", name, shape
    for name, shape in (*_decoder_states(sizes), *_activations(sizes)):
        yield "floats", name, shape
    yield "ids", "prompt", (sizes.batch, sizes.prompt)
    # One token more than there are steps, for the one that the prefill samples, in whole blocks.
    yield "ids", "tokens", (-(-(sizes.steps + 1 + _token_offset(sizes)) // sizes.frames), sizes.batch, sizes.frames)


def _decoder_weights(sizes: Sizes) -> Iterator[tuple[str, tuple[int, ...]]]:
    layers, dim = sizes.layers, sizes.dim
    yield "embedding", (sizes.vocab, dim)
    yield from ((name, (layers, dim)) for name in ("norm_1", "norm_2", "norm_3"))
    yield "qkv", (layers, sizes.attention_width + 2 * sizes.kv_width, dim)
    yield "o", (layers, dim, sizes.attention_width)
    yield "state_in", (layers, sizes.state_width + 2 * sizes.states + sizes.state_heads, dim)
    yield from ((name, (layers, sizes.state_heads)) for name in ("a_log", "d", "dt_bias"))
    yield "state_out", (layers, dim, sizes.state_width)
    yield "up", (layers, 2 * sizes.ffn, dim)
    yield "down", (layers, dim, sizes.ffn)
    yield "norm_f", (dim,)
    yield "head", (sizes.vocab, dim)


def _codec_weights(sizes: Sizes) -> Iterator[tuple[str, tuple[int, ...]]]:
    half = sizes.channels // 2
    yield "codes", (sizes.vocab, sizes.channels)
    yield "project", (sizes.channels, sizes.channels)
    # A kernel is twice as long as its stride; the operators take the stride from that length.
    yield "upsample_1", (2 * sizes.upsample_1, half, sizes.channels)
    yield "upsample_1_bias", (half,)
    yield "upsample_2", (2 * sizes.upsample_2, 1, half)
    yield "upsample_2_bias", (1,)


def _decoder_states(sizes: Sizes) -> Iterator[tuple[str, tuple[int, ...]]]:
    cache = (sizes.layers, sizes.batch, sizes.kv_heads, sizes.capacity, sizes.head_dim)
    yield "k_cache", cache
    yield "v_cache", cache
    yield "state", (sizes.layers, sizes.batch, sizes.state_heads, sizes.state_head_dim, sizes.states)


def _activations(sizes: Sizes) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Each group has its own, so that groups may run side by side."""
    for group, rows in (("P", sizes.batch * sizes.prompt), ("B", sizes.batch)):
        yield from ((f"{group}.{name}", (rows, sizes.dim)) for name in ("x", "normed"))
        yield f"{group}.qkv", (rows, sizes.attention_width + 2 * sizes.kv_width)
        yield f"{group}.attended", (rows, sizes.attention_width)
        yield f"{group}.up", (rows, 2 * sizes.ffn)
        yield f"{group}.gated", (rows, sizes.ffn)
    yield "B.projected", (sizes.batch, sizes.state_width + 2 * sizes.states + sizes.state_heads)
    yield "B.stepped", (sizes.batch, sizes.state_width)
    for group in ("P", "L"):
        yield f"{group}.last", (sizes.batch, sizes.dim)
        yield f"{group}.logits", (sizes.batch, sizes.vocab)
    yield from _codec_activations(sizes)


def _codec_activations(sizes: Sizes) -> Iterator[tuple[str, tuple[int, ...]]]:
    frames = sizes.batch * sizes.frames
    yield from ((f"C.{name}", (frames, sizes.channels)) for name in ("codes", "projected"))
    yield from ((f"C.{name}", (frames * sizes.upsample_1, sizes.channels // 2)) for name in ("upsampled", "snaked"))
    yield "C.raw", (frames * sizes.frame_samples, 1)
    yield "samples", (sizes.chunks, frames, sizes.frame_samples)
