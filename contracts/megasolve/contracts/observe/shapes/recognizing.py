"""Which operator a call is, by the name that frameworks and serving libraries give it; what is not recognized stays opaque."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from ...profiles.execution import OperatorCall
from .attention import attention
from .plain import concatenated, copied, elementwise, filled, gated
from .products import batched, convolution, experts, product
from .rows import appended, gathered, norm, reduced, rotary, softmax
from .shaped import Computed

_PRODUCTS = re.compile(
    r"(?:add)?mm|addmm_activation|linear|matmul|scaled_mm|cutlass_scaled_mm|int_mm|gemm_a\d+w\d+\w*|\w*gemm\w*|fp8_linear"
)
_BATCHED = re.compile(r"bmm|baddbmm")
_CONVOLUTIONS = re.compile(r"(?:cudnn_|miopen_|mkldnn_|thnn_|slow_)?conv(?:olution)?(?:_transpose)?(?:\dd)?(?:_overrideable|_forward)?")
_EXPERTS = re.compile(r"fused_experts|fused_moe|moe|\w*fused_moe\w*|outplace_fused_experts|inplace_fused_experts")
_ATTENTION = re.compile(r"\w*attention\w*|\w*fmha\w*|mha_\w+|\w*flash_attn\w*|varlen_fwd|fwd")
_NORMS = re.compile(r"\w*(?:layer|rms|group|batch)_?norm\w*")
_ROTARY = re.compile(r"\w*rotary\w*|rope\w*")
_APPENDED = re.compile(r"reshape_and_cache\w*|store_(?:kv)?cache|concat_and_cache\w*")
_GATHERED = re.compile(r"embedding|index_select|gather")
_SOFTMAX = re.compile(r"(?:log_|safe_)?softmax")
_REDUCED = re.compile(r"mean|sum|max|min|amax|amin|argmax|argmin|all|any|prod|norm|linalg_vector_norm|var|std|var_mean|logsumexp")
_COPIED = re.compile(r"copy|to_copy|clone|contiguous|to")
_FILLED = re.compile(r"fill|zero|zeros|ones|full|empty|arange")
_CONCATENATED = re.compile(r"cat|stack|concat")
_GATED = re.compile(r"(?:silu|gelu|gelu_tanh|swiglu)_and_mul")
_ELEMENTWISE = re.compile(
    r"add|sub|rsub|mul|div|neg|abs|pow|sqrt|rsqrt|exp|log|sin|cos|tanh|sigmoid|silu|gelu|relu|leaky_relu|elu|snake|hardswish|softplus|"
    r"reciprocal|where|clamp|clamp_min|clamp_max|maximum|minimum|masked_fill|erf|floor|ceil|round|sign|square|threshold|lerp|addcmul|"
    r"eq|ne|lt|le|gt|ge|isnan|isinf|logical_not|logical_and|logical_or|bitwise_not|bitwise_and|bitwise_or|remainder|floor_divide"
)

_Recognizer = Callable[[str, OperatorCall, Collection[int]], "Computed | tuple[Computed, ...] | None"]

_KINDS: tuple[tuple[re.Pattern[str], _Recognizer], ...] = (
    (_PRODUCTS, lambda _, call, __: product(call)),
    (_BATCHED, lambda _, call, __: batched(call)),
    (_CONVOLUTIONS, lambda name, call, _: convolution(name, call)),
    (_EXPERTS, lambda _, call, __: experts(call)),
    (_ATTENTION, lambda name, call, _: attention(name, call)),
    (_NORMS, lambda name, call, _: norm(name, call)),
    (_ROTARY, lambda _, call, __: rotary(call)),
    (_APPENDED, lambda _, call, __: appended(call)),
    (_GATHERED, lambda _, call, activations: gathered(call, activations)),
    (_SOFTMAX, lambda _, call, __: softmax(call)),
    (_GATED, lambda _, call, __: gated(call)),
    (_COPIED, lambda _, call, __: copied(call)),
    (_FILLED, lambda _, call, __: filled(call)),
    (_CONCATENATED, lambda _, call, __: concatenated(call)),
    (_REDUCED, lambda _, call, __: reduced(call)),
    (_ELEMENTWISE, lambda name, call, _: elementwise(name, call)),
)


def plain_name(name: str) -> str:
    """Return the name of an operator without its namespace and the underscores and endings of its variants."""
    return name.rpartition("::")[2].partition(".")[0].strip("_")


def computed(call: OperatorCall, activations: Collection[int] = ()) -> tuple[Computed, ...]:
    """Return what *call* computes, nothing where it is not recognized; *activations* are numbers of rows that activations have."""
    name = plain_name(call.name)
    for pattern, recognize in _KINDS:
        if pattern.fullmatch(name):
            found = recognize(name, call, activations)
            return () if found is None else found if isinstance(found, tuple) else (found,)
    return ()
