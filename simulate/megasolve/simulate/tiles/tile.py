"""One tile, as it is written down by hand and shown."""

from __future__ import annotations

from dataclasses import dataclass

from .arrays import Spans


@dataclass(frozen=True, slots=True)
class Tile:
    """One task: *compute_ps* on one worker after one load of its weights and activations, then one store of its output.

    *staging_bytes* is held from start to end of compute; it includes the output, so a tile never holds less than
    *output_bytes*. *waits* names counters of the same section, *waits_before* those of the section before it (the previous
    repeat, or the prologue before the first), where that section has them; each name costs the machine's *wait_ps*.
    *signals* names the counters of its own section at which it arrives when it is done. An *opaque* tile takes all workers
    and no staging; the barriers on both sides of it are counters of the program like any other. *spans* say which part of the
    operator's output it computes, where that is known; the first tile of an execution begins at 0 on every axis.
    *waiting_ps* is the part of *compute_ps* that pays for waits. *cached_weight_bytes* and *cached_activation_bytes* are loaded, too, but
    from L2: they do not pass the memory queue. The first *early_ps* of *compute_ps* may run while the tile loads, on what has come so far.
    """

    operator: str
    compute_ps: int
    weight_bytes: int = 0
    activation_bytes: int = 0
    output_bytes: int = 0
    staging_bytes: int = 0
    waits: tuple[str, ...] = ()
    waits_before: tuple[str, ...] = ()
    signals: tuple[str, ...] = ()
    is_opaque: bool = False
    spans: Spans | None = None
    waiting_ps: int = 0
    cached_weight_bytes: int = 0
    cached_activation_bytes: int = 0
    early_ps: int = 0
