"""The type of number that the name of a kernel says it works on: in words, in Tensile's and cuBLAS's letters, in mangled C++."""

from __future__ import annotations

import re
from collections.abc import Iterator

NARROWEST_FIRST = ("fp4", "fp8", "int8", "bf16", "fp16", "fp32", "fp64")

# One pass from left to right, and at one place the first that fits: `bf16` is taken before the `f16` in it could be. Not a type: the enum
# of vLLM that says whether a cache is fp8, int8_t as collectives move bytes, `double_buffer`, `half_warp`.
_WORDS = re.compile(
    r"(?P<fp4>nvfp4|mxfp4|fp4|e2m1)"
    r"|(?P<fp8>e4m3|e5m2|fp8(?!kvcache)|float8|(?<![a-z0-9])b?f8(?=b?f8|bf16|f16|f32|[^a-z0-9]|$))"
    r"|(?P<bf16>bfloat16|bf16|bhalf|df16b)"
    r"|(?P<int8>int8(?!_t)|(?<![a-z])imma|(?<![a-z0-9])[is]8(?=[is]8|i32|s32|[^a-z0-9]|$))"
    r"|(?P<fp16>float16|fp16|df16_|f16|half(?!_?(?:warp|wave|tile|block|way))|hgemm|hcudnn|(?<![a-z0-9])h\d{3,6}gemm)"
    r"|(?P<fp64>float64|fp64|f64|double(?!_?(?:buf|block|stream))|dgemm)"
    r"|(?P<fp32>float(?!ing)|fp32|f32|sgemm|scudnn|(?<![a-z0-9])s\d{3,6}gemm)"
)

# `Cijk_Ailk_Bljk_` and the types of A, B, C and the sum: BBS is bf16 in, bf16 out, fp32 sum; SB is fp32, with beta.
_TENSILE = re.compile(r"C[ijklm]{2,6}_A[ijklm]{2,6}_B[ijklm]{2,6}_(F4|F8|B8|I8|4xi8|[SDHBX])")
_OF_TENSILE = {
    "F4": "fp4",
    "F8": "fp8",
    "B8": "fp8",
    "I8": "int8",
    "4xi8": "int8",
    "H": "fp16",
    "B": "bf16",
    "S": "fp32",
    "X": "fp32",
    "D": "fp64",
}
# cuBLAS since Hopper: `nvjet_tst_`, where the first letter is that of A.
_NVJET = re.compile(r"nvjet_(?:sm\d{2,3}_)?([hstqo])[a-z]{2,5}_")
_OF_NVJET = {"h": "fp16", "s": "fp32", "t": "bf16", "q": "fp8", "o": "fp4"}

# What has digits in a mangled name without being the length of an identifier: substitutions, parameters, literals, constructors, arrays.
_NO_IDENTIFIER = re.compile(r"S[0-9A-Z]{0,9}_|T\d*_|L[a-z]n?[0-9a-f]{0,64}E|E\d+(?=E)|[CD][0-5]|A\d+_")
_LENGTH = re.compile(r"\d{1,4}")
_BUILTIN = re.compile(r"DF(?P<bits>\d{1,3})(?P<kind>[bx_])|Dh|(?<=[PKIJR])[fd]")
_OF_BUILTIN = {"DF16b": "bf16", "DF16_": "fp16", "Dh": "fp16", "DF32_": "fp32", "f": "fp32", "DF64_": "fp64", "DF32x": "fp64", "d": "fp64"}


def named_type(kernel: str) -> str | None:
    """Return the type that the name *kernel* says, of several the narrowest, None where it says none."""
    found = set(_types(kernel))
    return next((name for name in NARROWEST_FIRST if name in found), None)


def _types(kernel: str) -> Iterator[str]:
    library = _of_library(kernel)
    if library is not None:
        yield library
    elif kernel.startswith("_Z"):
        yield from _of_mangled(kernel)
    else:
        yield from _of_words(kernel)


def _of_library(kernel: str) -> str | None:
    if tensile := _TENSILE.search(kernel):
        return _OF_TENSILE[tensile[1]]
    nvjet = _NVJET.search(kernel)
    return None if nvjet is None else _OF_NVJET[nvjet[1]]


def _of_words(text: str) -> Iterator[str]:
    yield from (found.lastgroup for found in _WORDS.finditer(text.lower()) if found.lastgroup)


def _of_mangled(kernel: str) -> Iterator[str]:
    """Yield the types of an Itanium name: its builtin types, and what its identifiers say."""
    at = len("_Z")
    while at < len(kernel):
        if skipped := _NO_IDENTIFIER.match(kernel, at):
            at = skipped.end()
        elif length := _LENGTH.match(kernel, at):
            end = length.end() + int(length[0])
            yield from _of_words(kernel[length.end() : end])
            at = end
        elif builtin := _BUILTIN.match(kernel, at):
            yield from filter(None, [_OF_BUILTIN.get(builtin[0])])
            at = builtin.end()
        else:
            at += 1
