"""Table T8, the Llama-1B decode step as megakernel and as graph, and the device times of a served Qwen3-TTS."""

from __future__ import annotations

from megasolve.contracts import load_spec, shipped_specs

from .published_derived import derived_us, shipped_study
from .published_row import Published, Row

REPLICATION = "msaroufim/megakernels-vs-cuda-graphs, llama/docs/RESULTS.md at e7b1b5eb: batch 1, 32 tokens in, 128 out"
STEP = Published("T8", REPLICATION, "us")
RATIO = Published("T8", REPLICATION, "x")
DSPARK = Published("T8", "msaroufim/megakernels-vs-cuda-graphs, dspark/README.md at 14dc8081", "us")
LAYER = Published("layer", "cloudrift-ai/emmy, golden-bench-2026/kernels/RESULTS.md at 00a9195e: 79.64 to 82.04 us", "us")
SERVED = Published("served", "sgl-project/sglang-omni issue 2294: H100, Qwen3-TTS 1.7B, mean batch 12", "ms")

MEAN_CONTEXT = 96
"""Tokens in the cache half-way through 128 tokens after 32."""

STEPS_US = {"h100_sxm": (972.78, 979.51), "h200": (759.83, 794.74)}
FITTED_ON = "h100_sxm"
STATED_ERROR = 0.02
"""What the repository's own second measurement moves by, rounded up (specs/published/llama_1b_decode.yaml)."""

CONSTANTS = {"megakernel": "1.637 us a wait", "CUDA graph": "1.762 us a kernel"}
CEILING = "a graph meets a ceiling on the faster memory that a constant gap per kernel, fitted on the H100, cannot see"
SERVED_BATCH = 12


def steps_us(device: str) -> tuple[float, float]:
    """Return the model's step as megakernel and as CUDA graph on *device*."""
    study = shipped_study("llama_1b", device, {"context": MEAN_CONTEXT})
    return derived_us(study, "D", "D", batch=1), derived_us(study, "D_graph", "D", batch=1)


def decode_rows() -> list[Row]:
    """Return the rows of T8: the constants are fitted on the H100 alone, so the H200 is a prediction."""
    lacks = "no device file of a GB300, no operator list of DSpark"
    unknown = (("megakernel", 828.544), ("CUDA graph", 803.968))
    return [
        *(row for device in STEPS_US for row in _device_rows(device)),
        *(DSPARK.missing(f"DSpark step on a GB300, {way}", step_us, lacks=lacks) for way, step_us in unknown),
    ]


def _device_rows(device: str) -> list[Row]:
    model, published = steps_us(device), STEPS_US[device]
    rows = []
    for (way, constant), theirs, ours in zip(CONSTANTS.items(), published, model, strict=True):
        figure = f"Llama-1B decode step on {device}, {way}"
        if device == FITTED_ON:
            rows.append(STEP.fitted(figure, theirs, ours, basis=f"fitted: {constant} reproduces this figure"))
        else:
            reason = CEILING if way == "CUDA graph" else ""
            rows.append(STEP.predicted(figure, theirs, ours, basis=f"{constant}, as fitted on the H100", reason=reason))
    return [*rows, _ratio_row(device, published[1] / published[0], model[1] / model[0])]


def _ratio_row(device: str, theirs: float, ours: float) -> Row:
    figure = f"graph over megakernel on {device}"
    close = f"too close to call: {ours - 1:.1%} apart, a repeat moves by up to {STATED_ERROR:.0%}" if abs(ours - 1) < STATED_ERROR else ""
    if device == FITTED_ON:
        return RATIO.fitted(figure, theirs, ours, basis="both times are fitted here", reason=close)
    return RATIO.predicted(figure, theirs, ours, basis="no figure of this device went in", reason=close)


def layer_graph_rows() -> list[Row]:
    """Return the layer of 13 kernels whose products are in tiles of a library."""
    model = derived_us(load_spec(shipped_specs() / "published/qwen3_layer.yaml"), "X_graph", "X", batch=1)
    basis = "tiles and rates of library products, gap and ramp of the Llama step, L2 by the rule"
    reason = "no constant was fitted to it, but the rules of tiles and of L2 were written with this figure known: a first version gave 89.0"
    return [LAYER.fitted("Qwen3-0.6B layer of 512 tokens on an H100, 13 kernels in a graph", 80.84, model, basis=basis, reason=reason)]


def served_rows() -> list[Row]:
    """Return the device times of a served Qwen3-TTS, which nothing here was fitted to."""
    study = shipped_study("qwen3_tts", "h100_sxm")
    talker_ms = derived_us(study, "B_graph", "B", batch=SERVED_BATCH) / 1000
    predictor_ms = 15 * derived_us(study, "L_graph", "L", batch=SERVED_BATCH) / 1000
    basis = "the conventional contracts at batch 12; the context is not published, 128 is assumed"
    reason = "the served kernels reach less of the bandwidth than tiles that only stream weights; which of them is not published"
    return [
        SERVED.predicted("Qwen3-TTS on an H100, talker graph", 2.30, talker_ms, basis=basis, reason=reason),
        SERVED.predicted("Qwen3-TTS on an H100, code predictor, 15 passes", 4.09, predictor_ms, basis=basis, reason=reason),
    ]
