"""The operators of streamlet: for each of them its operands, by call and layer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...errors import GpuError
from ...programs.arenas import Matrix
from ...programs.group_calls import Call
from ...programs.operands import Operands
from ...programs.operators.elementwise import FUNCTIONS
from .model import Model

FEW_ROWS = 8
"""Up to as many rows a product goes without tensor cores, which would be idle for most of a tile."""

NO_RESIDUAL = -1


def operands_of(model: Model, call: Call, operator: str, layer: int) -> Operands:
    """Return the operands of *operator* in *layer* (counted from 0) of *call*.

    Raises
    ------
    GpuError
        Streamlet has no such operator.
    """
    make = _MAKERS.get(call.group, {}).get(operator)
    if make is None:
        known = ", ".join(_MAKERS.get(call.group, {})) or "none: it is no group of streamlet"
        raise GpuError(f"group '{call.group}' has no operator '{operator}'; the kernels know {known}")
    return make(_Where(model, call, layer))


@dataclass(frozen=True, slots=True)
class _Where:
    """One execution: in which call of which model, and in which layer."""

    model: Model
    call: Call
    layer: int

    def own(self, name: str) -> Matrix:
        """Return a matrix among the activations of the group."""
        return self.model.matrix(f"{self.call.group}.{name}")

    def weight(self, name: str) -> int:
        """Return where the weights of this layer begin."""
        return self.model.layout[name].at(self.layer)

    @property
    def is_prefill(self) -> bool:
        """Whether a row is one of many tokens of a sequence."""
        return self.call.group == "P"

    @property
    def tokens(self) -> int:
        """The tokens of a sequence that the call takes in."""
        return self.model.sizes.prompt if self.is_prefill else 1

    @property
    def position(self) -> int:
        """The place of the first of them in the sequence."""
        return 0 if self.is_prefill else self.model.sizes.prompt + self.call.number - 1


def _embedding(where: _Where, ids: Matrix, table: str, y: Matrix) -> Operands:
    shape = where.model.layout[table].shape
    return _of("embedding", ids_first=ids.offset, ids_stride=ids.leading, table=where.model.layout[table].offset, dim=shape[1], **_y(y))


def _norm(where: _Where, x: Matrix, weight: int, y: Matrix) -> Operands:
    return _of("norm", **_x(x), weight=weight, dim=where.model.sizes.dim, **_y(y))


def _product(where: _Where, x: Matrix, weight: str, y: Matrix, *, rows: int, adds: bool = False) -> Operands:
    """Multiply *x* by the weights of all output columns, and add to *y* what was there where the product *adds*."""
    tensor = where.model.layout[weight]
    operation = "matvec" if rows <= FEW_ROWS else "matmul"
    # Weights of layers have the layer as their first axis; the head and the codec have no layers.
    start = tensor.at(where.layer) if len(tensor.shape) == 3 else tensor.offset
    return _of(operation, **_x(x), weight=start, k=tensor.shape[-1], **_y(y), residual=y.offset if adds else NO_RESIDUAL)


def _layer_product(x: str, weight: str, y: str, *, adds: bool = False) -> Callable[[_Where], Operands]:
    def make(where: _Where) -> Operands:
        rows = where.model.layout[f"{where.call.group}.{y}"].shape[0]
        return _product(where, where.own(x), weight, where.own(y), rows=rows, adds=adds)

    return make


def _layer_norm(weight: str) -> Callable[[_Where], Operands]:
    return lambda where: _norm(where, where.own("x"), where.weight(weight), where.own("normed"))


def _rotary(where: _Where) -> Operands:
    # Queries and keys stand beside each other, so both are turned at once, and in place.
    turned = where.own("qkv")
    sizes = where.model.sizes
    return _of("rotary", **_x(turned), **_y(turned), head_dim=sizes.head_dim, tokens=where.tokens, position_first=where.position)


def _append(where: _Where) -> Operands:
    sizes, qkv = where.model.sizes, where.own("qkv")
    # Keys stand behind the queries, and values behind the keys.
    keys = qkv.columns_from(sizes.attention_width)
    values = keys.columns_from(sizes.kv_width)
    return _of(
        "kv_append",
        k=keys.offset,
        ldk=keys.leading,
        v=values.offset,
        ldv=values.leading,
        **_caches(where),
        head_dim=sizes.head_dim,
        tokens=where.tokens,
        position_first=where.position,
    )


def _attention(where: _Where) -> Operands:
    sizes, queries = where.model.sizes, where.own("qkv")
    # A step sees its own token as well, which was appended before.
    seen = {"tokens": sizes.prompt} if where.is_prefill else {"kv_tokens": where.position + 1}
    return _of(
        "attention_prefill" if where.is_prefill else "attention_decode",
        q=queries.offset,
        ldq=queries.leading,
        **_caches(where),
        group=sizes.heads // sizes.kv_heads,
        head_dim=sizes.head_dim,
        **_y(where.own("attended")),
        **seen,
    )


def _caches(where: _Where) -> dict[str, int]:
    caches = {name: where.model.layout[name].at(where.layer) for name in ("k_cache", "v_cache")}
    return {**caches, "capacity": where.model.sizes.capacity, "kv_heads": where.model.sizes.kv_heads}


def _step(where: _Where) -> Operands:
    sizes, x = where.model.sizes, where.own("projected")
    # One product makes all four: x, b, c and dt stand beside each other in its columns.
    b = x.columns_from(sizes.state_width)
    c = b.columns_from(sizes.states)
    dt = c.columns_from(sizes.states)
    inputs = {"x": x, "b": b, "c": c, "dt": dt}
    return _of(
        "step",
        **{name: of.offset for name, of in inputs.items()},
        **{f"ld{name}": of.leading for name, of in inputs.items()},
        **{name: where.weight(name) for name in ("a_log", "d", "dt_bias", "state")},
        heads=sizes.state_heads,
        head_dim=sizes.state_head_dim,
        states=sizes.states,
        **_y(where.own("stepped")),
    )


def _elementwise(function: str, a: Matrix, b: Matrix, y: Matrix) -> Operands:
    return _of("elementwise", a=a.offset, lda=a.leading, b=b.offset, ldb=b.leading, **_y(y), function=FUNCTIONS[function])


def _gate(where: _Where) -> Operands:
    up = where.own("up")
    return _elementwise("silu_mul", up, up.columns_from(where.model.sizes.ffn), where.own("gated"))


def _last_norm(where: _Where) -> Operands:
    """The head norms the last token of each sequence, of the prefill or of the step."""
    source = where.model.matrix("P.x" if where.is_prefill else "B.x")
    stride = source.leading * where.tokens
    last = Matrix(source.offset + stride - source.leading, stride)
    return _norm(where, last, where.model.layout["norm_f"].offset, where.own("last"))


def _logits(where: _Where) -> Operands:
    return _product(where, where.own("last"), "head", where.own("logits"), rows=where.model.sizes.batch)


def _sample(where: _Where) -> Operands:
    tokens = where.model.token(0 if where.is_prefill else where.call.number)
    return _of("sampling", **_x(where.own("logits")), dim=where.model.sizes.vocab, ids_first=tokens.offset, ids_stride=tokens.leading)


def _upsampling(stage: int, x: str, y: str) -> Callable[[_Where], Operands]:
    def make(where: _Where) -> Operands:
        sizes, weight = where.model.sizes, where.model.layout[f"upsample_{stage}"]
        kernel, c_out, c_in = weight.shape
        return _of(
            "conv_transpose1d",
            **_x(where.own(x)),
            weight=weight.offset,
            bias=where.model.layout[f"upsample_{stage}_bias"].offset,
            c_in=c_in,
            c_out=c_out,
            kernel=kernel,
            stride=kernel // 2,
            # The second stage takes in what the first one made of the frames.
            t_in=sizes.frames * (sizes.upsample_1 if stage == 2 else 1),
            **_y(where.own(y)),
        )

    return make


def _project(where: _Where) -> Operands:
    return _product(where, where.own("codes"), "project", where.own("projected"), rows=where.model.sizes.batch * where.model.sizes.frames)


def _snake(where: _Where) -> Operands:
    # The second operand is not read, but an instruction has a place for it.
    return _elementwise("snake", where.own("upsampled"), where.own("upsampled"), where.own("snaked"))


def _tanh(where: _Where) -> Operands:
    # Samples follow each other, so those of a frame are also a row.
    raw = Matrix(where.own("raw").offset, where.model.sizes.frame_samples)
    return _elementwise("tanh", raw, raw, where.model.matrix("samples", where.call.number - 1))


def _of(operation: str, **shared: int) -> Operands:
    return Operands(operation, shared)


def _x(x: Matrix) -> dict[str, int]:
    return {"x": x.offset, "ldx": x.leading}


def _y(y: Matrix) -> dict[str, int]:
    return {"y": y.offset, "ldy": y.leading}


_LAYER: Mapping[str, Callable[[_Where], Operands]] = {
    "norm_1": _layer_norm("norm_1"),
    "qkv": _layer_product("normed", "qkv", "qkv"),
    "rotary": _rotary,
    "append": _append,
    "attention": _attention,
    "o": _layer_product("attended", "o", "x", adds=True),
    "norm_3": _layer_norm("norm_3"),
    "up": _layer_product("normed", "up", "up"),
    "gate": _gate,
    "down": _layer_product("gated", "down", "x", adds=True),
}
_HEAD: Mapping[str, Callable[[_Where], Operands]] = {"norm_f": _last_norm, "logits": _logits, "sample": _sample}
_MAKERS: Mapping[str, Mapping[str, Callable[[_Where], Operands]]] = {
    "P": {
        "embed": lambda where: _embedding(where, Matrix(where.model.layout["prompt"].offset, 1), "embedding", where.own("x")),
        **_LAYER,
        **_HEAD,
    },
    "B": {
        # A step takes in the token that the step before it sampled.
        "embed": lambda where: _embedding(where, where.model.token(where.call.number - 1), "embedding", where.own("x")),
        **_LAYER,
        "norm_2": _layer_norm("norm_2"),
        "state_in": _layer_product("normed", "state_in", "projected"),
        "step": _step,
        "state_out": _layer_product("stepped", "state_out", "x", adds=True),
    },
    "L": _HEAD,
    "C": {
        "codes": lambda where: _embedding(where, Matrix(where.model.codes(where.call.number), 1), "codes", where.own("codes")),
        "project": _project,
        "upsample_1": _upsampling(1, "projected", "upsampled"),
        "snake": _snake,
        "upsample_2": _upsampling(2, "snaked", "raw"),
        "tanh": _tanh,
    },
}
