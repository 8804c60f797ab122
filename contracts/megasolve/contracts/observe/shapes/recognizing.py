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

_PRODUCTS = re.compile(r"(?:add)?mm|addmm_activation|linear|matmul|scaled_mm|cutlass_scaled_mm|int_mm|fp8_linear")
_GEMM = re.compile(r"gemm")
_WORD = re.compile(r"\w+")
_BATCHED = re.compile(r"bmm|baddbmm")
_CONVOLUTIONS = re.compile(r"(?:cudnn_|miopen_|mkldnn_|thnn_|slow_)?conv(?:olution)?(?:_transpose)?(?:\dd)?(?:_overrideable|_forward)?")
_EXPERTS = re.compile(r"fused_experts|moe|outplace_fused_experts|inplace_fused_experts")
_FUSED_EXPERTS = re.compile(r"fused_moe")
_ATTENTION = re.compile(r"mha_\w+|varlen_fwd|fwd")
_FUSED_ATTENTION = re.compile(r"attention|fmha|flash_attn")
_NORMS = re.compile(r"(?:layer|rms|group|batch)_?norm")
_ROPE = re.compile(r"rope\w*")
_ROTARY = re.compile(r"rotary")
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

# The whole name fits the first pattern, or a part of it the second: `\w*part\w*` would look for each part once more from every letter.
_KINDS: tuple[tuple[re.Pattern[str] | None, re.Pattern[str] | None, _Recognizer], ...] = (
    (_PRODUCTS, _GEMM, lambda _, call, __: product(call)),
    (_BATCHED, None, lambda _, call, __: batched(call)),
    (_CONVOLUTIONS, None, lambda name, call, _: convolution(name, call)),
    (_EXPERTS, _FUSED_EXPERTS, lambda _, call, __: experts(call)),
    (_ATTENTION, _FUSED_ATTENTION, lambda name, call, _: attention(name, call)),
    (None, _NORMS, lambda name, call, _: norm(name, call)),
    (_ROPE, _ROTARY, lambda _, call, __: rotary(call)),
    (_APPENDED, None, lambda _, call, __: appended(call)),
    (_GATHERED, None, lambda _, call, activations: gathered(call, activations)),
    (_SOFTMAX, None, lambda _, call, __: softmax(call)),
    (_GATED, None, lambda _, call, __: gated(call)),
    (_COPIED, None, lambda _, call, __: copied(call)),
    (_FILLED, None, lambda _, call, __: filled(call)),
    (_CONCATENATED, None, lambda _, call, __: concatenated(call)),
    (_REDUCED, None, lambda _, call, __: reduced(call)),
    (_ELEMENTWISE, None, lambda name, call, _: elementwise(name, call)),
)


def plain_name(name: str) -> str:
    """Return the name of an operator without its namespace and the underscores and endings of its variants."""
    return name.rpartition("::")[2].partition(".")[0].strip("_")


def computed(call: OperatorCall, activations: Collection[int] = ()) -> tuple[Computed, ...]:
    """Return what *call* computes, nothing where it is not recognized; *activations* are numbers of rows that activations have."""
    name = plain_name(call.name)
    for whole, part, recognize in _KINDS:
        if (whole and whole.fullmatch(name)) or (part and part.search(name) and _WORD.fullmatch(name)):
            found = recognize(name, call, activations)
            return () if found is None else found if isinstance(found, tuple) else (found,)
    return ()
