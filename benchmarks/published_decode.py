"""Table T8, the Llama-1B decode step as megakernel and as graph, and the device times of a served Qwen3-TTS."""

from __future__ import annotations

from megasolve.simulate.expand.setup import Mechanisms

from .published_derived import AS_STATED, TODAY, derived_us, shipped_study
from .published_row import REPEATS_MOVE, Published, Row

REPLICATION = "msaroufim/megakernels-vs-cuda-graphs, llama/docs/RESULTS.md at e7b1b5eb: batch 1, 32 tokens in, 128 out"
STEP = Published("T8", REPLICATION, "us")
RATIO = Published("T8", REPLICATION, "x")
DSPARK = Published("T8", "msaroufim/megakernels-vs-cuda-graphs, dspark/README.md at 14dc8081", "us")
LAYER = Published("layer", "cloudrift-ai/emmy, golden-bench-2026/kernels/RESULTS.md at 00a9195e: 79.64 to 82.04 us", "us")
LAYER_SOURCE = "cloudrift-ai/emmy, golden-bench-2026/kernels/RESULTS.md at 00a9195e: one layer of Qwen3-0.6B as 13 kernels of a graph"
LAYER_OTHERS = Published("layer", LAYER_SOURCE, "us")
LAYER_A100 = Published("layer", "the same: an A100 of 40 GB; the device file is that of 80 GB, of more bandwidth", "us")
SERVED = Published("served", "sgl-project/sglang-omni issue 2294: H100, Qwen3-TTS 1.7B, mean batch 12", "ms")

MEAN_CONTEXT = 96
"""Tokens in the cache half-way through 128 tokens after 32."""

STEPS_US = {"h100_sxm": (972.78, 979.51), "h200": (759.83, 794.74)}
FITTED_ON = "h100_sxm"
WAIT = "1.294 us a wait"
GRAPH = "0.9 us of gap, 0.4 of ramp, 0.288 on the way to the memory and back: of other graphs of an H100, and nothing of this step"
CEILING = "a graph meets a ceiling on the faster memory that constants per kernel cannot see"
SERVED_BATCH = 12


def steps_us(device: str, mechanisms: Mechanisms = TODAY) -> tuple[float, float]:
    """Return the model's step as megakernel and as CUDA graph on *device*."""
    study = shipped_study("llama_1b", device, {"context": MEAN_CONTEXT})
    first, second = (derived_us(study, entry, "D", batch=1, mechanisms=mechanisms) for entry in ("D", "D_graph"))
    return first, second


def decode_rows() -> list[Row]:
    """Return the rows of T8: the megakernel is fitted on the H100 alone, the graph nowhere."""
    lacks = "no device file of a GB300, no operator list of DSpark"
    unknown = (("megakernel", 828.544), ("CUDA graph", 803.968))
    return [
        *(row for device in STEPS_US for row in _device_rows(device)),
        *(DSPARK.missing(f"DSpark step on a GB300, {way}", step_us, lacks=lacks) for way, step_us in unknown),
    ]


def _device_rows(device: str) -> list[Row]:
    (step_us, graph_us), (before_us, graph_before_us) = steps_us(device), steps_us(device, AS_STATED)
    published_us, published_graph_us = STEPS_US[device]
    megakernel, graph = (f"Llama-1B decode step on {device}, {way}" for way in ("megakernel", "CUDA graph"))
    if device == FITTED_ON:
        first = STEP.fitted(megakernel, published_us, step_us, basis=f"fitted: {WAIT} reproduces this figure", before=before_us)
    else:
        first = STEP.predicted(megakernel, published_us, step_us, basis=f"{WAIT}, as fitted on the H100", before=before_us)
    reason = "" if device == FITTED_ON else CEILING
    second = STEP.predicted(graph, published_graph_us, graph_us, basis=GRAPH, reason=reason, before=graph_before_us)
    ratios = (published_graph_us / published_us, graph_us / step_us, graph_before_us / before_us)
    return [first, second, _ratio_row(device, *ratios)]


def _ratio_row(device: str, theirs: float, ours: float, before: float) -> Row:
    figure = f"graph over megakernel on {device}"
    close = f"too close to call: {ours - 1:.1%} apart, a repeat moves by up to {REPEATS_MOVE:.0%}" if abs(ours - 1) < REPEATS_MOVE else ""
    if device == FITTED_ON:
        return RATIO.fitted(figure, theirs, ours, basis="the megakernel is fitted here, the graph is not", reason=close, before=before)
    return RATIO.predicted(figure, theirs, ours, basis="no figure of this device went in", reason=close, before=before)


def layer_graph_rows() -> list[Row]:
    """Return the layer of 13 kernels in tiles of a library, on two devices, both known when the rule got its last sides."""
    basis = (
        "tiles and rates of library products, the gap of its trace, the ramp of an empty kernel, latencies of each device, L2 by the rule"
    )
    known = "no constant was fitted to it, but the rules of tiles and of L2 were written with this figure known: a first version gave 89.0"
    seen = "no constant was fitted to it, but it stood beside the layer on an H100 when tiles got sides of 96 and 192: +6.8 % without these"
    (h100, h100_before), (a100, a100_before) = ([_layer_us(device, each) for each in (TODAY, AS_STATED)] for device in ("h100_sxm", "a100"))
    figure = "Qwen3-0.6B layer of 512 tokens on an {}, 13 kernels in a graph"
    return [
        LAYER.fitted(figure.format("H100"), 80.84, h100, basis=basis, reason=known, before=h100_before),
        LAYER_A100.fitted(figure.format("A100"), 180.1, a100, basis=basis, reason=seen, before=a100_before),
        *(_known_layer_row(device, basis) for device in GEFORCE_US),
        *(_token_row(device, basis) for device in TOKEN_US),
    ]


GEFORCE_US = {"rtx_4090": 162.8, "rtx_5090": 135.7}
TOKEN_US = {"h100_sxm": 31.7, "a100": 55.9, "rtx_4090": 29.2, "rtx_5090": 24.6}


def _known_layer_row(device: str, basis: str) -> Row:
    reason = (
        "known when the rule learned how much an SM computes; attention has 0.445 of the dense rate, which on such an SM may be as low as "
        "the products were, and the clock is that of the peak rate, which a GeForce exceeds"
    )
    ours, before = _layer_us(device, TODAY), _layer_us(device, AS_STATED)
    figure = f"the same layer of 512 tokens on {device}"
    return LAYER_OTHERS.fitted(figure, GEFORCE_US[device], ours, basis=basis, reason=reason, before=before)


def _token_row(device: str, basis: str) -> Row:
    reason = (
        "gap and ramp are those of an H100, and kernels that hardly load take longer than both" if device in ("h100_sxm", "a100") else ""
    )
    ours, before = _layer_us(device, TODAY, tokens=1), _layer_us(device, AS_STATED, tokens=1)
    return LAYER_OTHERS.predicted(f"one token of it on {device}", TOKEN_US[device], ours, basis=basis, reason=reason, before=before)


GAPS = Published("gaps", "cloudrift-ai/emmy, golden-bench-2026/kernels/RESULTS.md at 00a9195e: the same layer, traced", "us")
FEW = Published("gaps", "sgl-project/sglang-omni pull request 1971: one graph of 1,371 kernels of 1 to 6 us on an H100", "us")
EMPTY = Published(
    "gaps",
    "Hazy Research blog, 2025-05-27, read in a summary, and openinfer-project/openinfer at 1ee1affa, which restates it: H100, one empty "
    "kernel of a graph after the other",
    "us",
)
TRACED_SUM_US, TRACED_SPAN_US, LAYER_KERNELS = 71.44, 83.056, 13
SHIPPED_GAP_US, SHIPPED_RAMP_US = 0.9, 0.4
"""What the shipped graphs have: the idle time in the trace of the layer, and what a node of empty kernels takes beside it."""


def gap_rows() -> list[Row]:
    """Return the gap and the ramp of the shipped graphs, apart: against traces of other graphs on an H100, and a chain of empty kernels.

    A profiler's time of a kernel holds its ramp, and a chain of empty kernels has one of both for each.
    """
    work_us = _layer_us("h100_sxm", TODAY) - LAYER_KERNELS * (SHIPPED_GAP_US + SHIPPED_RAMP_US)
    kernels_us, idle_us = work_us + LAYER_KERNELS * SHIPPED_RAMP_US, (TRACED_SPAN_US - TRACED_SUM_US) / LAYER_KERNELS
    both_us, lacks_us = SHIPPED_GAP_US + SHIPPED_RAMP_US, (TRACED_SUM_US - kernels_us) / LAYER_KERNELS
    traced = "0.9 is what a trace of this layer has, 0.89 to 0.97 of it a boundary"
    short = f"each kernel lacks {lacks_us:.2f} us: way to the memory under load, or slower tiles; a trace lengthens kernels, too"
    lacks = "what the 149 kernels that were left out computed"
    return [
        GAPS.fitted("idle beside each of the 13 kernels of the layer", idle_us, SHIPPED_GAP_US, basis=traced),
        GAPS.predicted("sum of the times of its 13 kernels", TRACED_SUM_US, kernels_us, basis="as the layer", reason=short),
        FEW.predicted("idle between small kernels, a boundary", 0.45, SHIPPED_GAP_US, basis="the gap of the layer"),
        FEW.missing("a small kernel less, 1 row", 2.08, lacks=lacks),
        FEW.missing("a small kernel less, 16 rows", 3.69, lacks=lacks),
        EMPTY.fitted("gap and ramp of an empty kernel", 1.3, both_us, basis="the ramp is what the gap of the layer leaves of it"),
    ]


def _layer_us(device: str, mechanisms: Mechanisms, tokens: int = 512) -> float:
    study = shipped_study("published/qwen3_layer", device, {"tokens": tokens})
    return derived_us(study, "X_graph", "X", batch=1, mechanisms=mechanisms)


def served_rows() -> list[Row]:
    """Return the device times of a served Qwen3-TTS, which nothing here was fitted to."""
    study = shipped_study("qwen3_tts", "h100_sxm")
    stages = (("B_graph", "B", 1), ("L_graph", "L", 15))
    (talker_ms, talker_before), (predictor_ms, predictor_before) = (
        [passes * derived_us(study, entry, group, batch=SERVED_BATCH, mechanisms=each) / 1000 for each in (TODAY, AS_STATED)]
        for entry, group, passes in stages
    )
    basis = "the conventional contracts at batch 12; the context is not published, 128 is assumed"
    reason = "the served kernels reach less of the bandwidth than tiles that only stream weights; which of them is not published"
    return [
        SERVED.predicted("Qwen3-TTS on an H100, talker graph", 2.30, talker_ms, basis=basis, reason=reason, before=talker_before),
        SERVED.predicted(
            "Qwen3-TTS on an H100, code predictor, 15 passes", 4.09, predictor_ms, basis=basis, reason=reason, before=predictor_before
        ),
    ]
