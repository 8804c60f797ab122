"""Other figures of the paper (arXiv 2610.35336) about the models: prefill layers, and what lacks a fact."""

from __future__ import annotations

from .published_derived import derived_us, shipped_study
from .published_row import Published, Row

LAYER = Published("paper", "arXiv 2610.35336, section VI", "us")
MARGIN = Published("paper", "arXiv 2610.35336, section VI", "x")
REPORT = Published("report", "arXiv 2601.15621, table 2", "ms")
LAYERS = 16
FEWER_LAYERS = 6


def layer_rows() -> list[Row]:
    """Return the prefill layer of Llama-1B in its two entries: both efficiencies are fitted to exactly these figures."""
    basis = "fitted: the efficiency of this entry's tiles reproduces this figure"
    return [
        LAYER.fitted(f"Llama-1B prefill layer in {name}", layer_us, _layer_us(entry), basis=basis)
        for entry, name, layer_us in (("P", "an entry of its own", 276.0), ("P_D", "the combined entry", 316.0))
    ]


def _layer_us(entry: str) -> float:
    """Return what one more layer takes, once the first ones have filled the workers."""
    fewer, all_of_them = (
        derived_us(shipped_study("llama_1b", symbols={"layers": layers}), entry, "P", batch=1) for layers in (FEWER_LAYERS, LAYERS)
    )
    return (all_of_them - fewer) / (LAYERS - FEWER_LAYERS)


def unnamed_rows() -> list[Row]:
    """Return published figures of Qwen3-TTS that lack a fact about what was measured."""
    cut = "the paper does not say which two regions the design with two megakernels has"
    where = "hardware and serving engine are not named"
    return [
        MARGIN.missing("Qwen3-TTS, two megakernels over four at batch 1", 1.081, lacks=cut),
        REPORT.missing("Qwen3-TTS 1.7B, first packet at concurrency 1", 101.0, lacks=where),
    ]
