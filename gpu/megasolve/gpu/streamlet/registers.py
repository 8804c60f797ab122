"""Registers of streamlet's kernels per thread, as NVRTC 13.0 compiles them for sm_90a with the launch bounds of their entry.

`megasolve check` compares what the contracts state with what the compiler says now.
"""

from __future__ import annotations

from collections.abc import Mapping

COMPILER = "nvrtc 13.0"

ENTRIES: Mapping[str, int] = {
    "P": 206,
    "P_B": 214,
    "P_B_L": 214,
    "P_B_L_C": 214,
    "P_B_L_C_128": 216,
    "P_B_L_C_512": 128,
    "B": 200,
    "B_L": 206,
    "B_L_128": 206,
    "B_L_512": 128,
    "B_L_C": 206,
    "L": 197,
    "L_C": 195,
    "C": 192,
}

# By kind of operator; a product runs as `matmul` or, for few rows, as `matvec`, which needs fewer.
KERNELS: Mapping[str, int] = {
    "embedding": 37,
    "norm": 56,
    "matmul": 168,
    "rotary": 40,
    "kv_append": 40,
    "attention_prefill": 132,
    "attention_decode": 168,
    "elementwise": 30,
    "step": 64,
    "conv_transpose1d": 96,
    "sampling": 40,
}
