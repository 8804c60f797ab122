"""Kernels that share a GPU, and one kernel at several numbers of CTAs: pairs on green contexts of a Hopper, a sweep on a B200."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from megasolve.contracts import PS_PER_US
from megasolve.simulate.events.waves import wave_factor
from megasolve.simulate.tiling import Tile, TileMachine, TileProgram, TileSchedule, TileSection, schedule_tiles

from .published_derived import NoTime, shipped_study
from .published_ladders import score_ms
from .published_row import Published, Row

PAIRS = Published("pairs", "Yi-sir/Cuda-Kernel-Interference-Performance at 68b110b8: 132 SMs, two green contexts of s and 128 - s", "ms")
SMS = tuple(range(8, 121, 8))
BANDWIDTH = 3_900_000_000_000
"""What the two memory-bound kernels reach together there."""

ALL_SMS = 132
MLA_TILES, MLA_MS, MLA_BYTES = 128, 0.075, 151_000_000
GEMM_MS, GEMM_TILES, GEMM_BYTES = 3.845, 32 * 108, 2 * 4096 * 13824 + 16384 * (4096 + 13824)
MOE_BYTES = 1_585_000_000
MLA_BESIDE = {
    "gemm": (1.040, 0.523, 0.388, 0.262, 0.260, 0.197, 0.197, 0.135, 0.134, 0.134, 0.134, 0.135, 0.136, 0.137, 0.137),
    "experts": (1.109, 0.540, 0.397, 0.266, 0.263, 0.199, 0.199, 0.135, 0.135, 0.135, 0.135, 0.135, 0.136, 0.137, 0.136),
}
GEMM_BESIDE = {
    "attention": (59.877, 33.001, 20.201, 16.390, 12.270, 10.318, 8.771, 7.944, 6.805, 6.244, 5.703, 5.260, 4.849, 4.541, 4.145),
    "experts": (95.77, 46.714, 29.492, 21.628, 16.243, 13.185, 10.820, 9.636, 7.960, 7.177, 6.234, 5.715, 5.046, 4.653, 4.168),
}
MOE_BESIDE = {
    "attention": (4.689, 2.356, 1.583, 1.199, 0.974, 0.819, 0.715, 0.632, 0.580, 0.548, 0.516, 0.479, 0.467, 0.451, 0.440),
    "gemm": (4.711, 2.372, 1.604, 1.227, 0.996, 0.845, 0.737, 0.659, 0.600, 0.567, 0.533, 0.495, 0.480, 0.456, 0.440),
}
FITTED_SMS = 8
LOADS_PER_WORKER, LATENCY_PS = 48, PS_PER_US // 10

WAVES = "the wave rule from its 75 us on all SMs; a wave takes 65 us where fewer SMs share the memory"
COMPUTE = "the wave rule from its 3.845 ms on all SMs, and the bandwidth that both ask for"
LATENCY = "a partner that fills the memory queue makes every load wait longer; sharing the bandwidth does not know that"
PORT = "bytes in flight an SM, fitted at 8 SMs, 3.9 TB/s for both together"

_Alone = Callable[[int], float]


def pair_rows() -> list[Row]:
    """Return each of three kernels beside each of the others on 15 splits of the SMs."""
    alone: Mapping[str, tuple[_Alone, int]] = {
        "attention": (mla_ms, MLA_BYTES),
        "gemm": (gemm_ms, GEMM_BYTES),
        "experts": (moe_ms, MOE_BYTES),
    }
    rows = []
    for kernel, series, basis in (("attention", MLA_BESIDE, WAVES), ("gemm", GEMM_BESIDE, COMPUTE), ("experts", MOE_BESIDE, PORT)):
        for partner, published in series.items():
            for sms, theirs in zip(SMS, published, strict=True):
                ours = beside_ms(alone[kernel], alone[partner], sms)
                figure = f"{kernel} on {sms} SMs beside {partner}"
                is_fitted = kernel == "experts" and partner == "attention" and sms == FITTED_SMS
                reason = LATENCY if kernel == "gemm" and partner == "experts" else ""
                if is_fitted:
                    rows.append(PAIRS.fitted(figure, theirs, ours, basis=basis))
                else:
                    before = beside_ms((unlimited_ms, MOE_BYTES), alone[partner], sms) if kernel == "experts" else None
                    rows.append(PAIRS.predicted(figure, theirs, ours, basis=basis, reason=reason, before=before))
    return rows


def beside_ms(kernel: tuple[_Alone, int], partner: tuple[_Alone, int], sms: int) -> float:
    """Return the time of a kernel on *sms* SMs while its partner has the others of 128, by the share of the bandwidth that both ask for."""
    time_ms = kernel[0](sms)
    asked = kernel[1] / time_ms + partner[1] / partner[0](MLA_TILES - sms)
    return time_ms * max(1.0, asked * 1000 / BANDWIDTH)


def mla_ms(sms: int) -> float:
    """Return the time of 128 equal tiles, one an SM."""
    return MLA_MS * float(wave_factor(MLA_TILES, sms, ALL_SMS))


def gemm_ms(sms: int) -> float:
    """Return the time of a compute-bound kernel of tiles of 128 x 128."""
    return GEMM_MS * float(wave_factor(GEMM_TILES, sms, ALL_SMS))


@cache
def moe_ms(sms: int) -> float:
    """Return the time of the experts: equal tiles that only load, as fast as the bytes in flight of each SM allow."""
    bytes_per_sm_and_us = MOE_BYTES / FITTED_SMS / (MOE_BESIDE["attention"][0] * 1000)
    return makespan_us(loads(sms, MOE_BYTES), limited(sms, BANDWIDTH, bytes_per_sm_and_us)) / 1000


def unlimited_ms(_: int) -> float:
    """Return the time of the experts where an SM draws whatever the memory gives."""
    return MOE_BYTES / BANDWIDTH * 1000


def loads(workers: int, moved: int) -> TileProgram:
    """Return *moved* bytes as equal tiles that only load, so many for each of *workers* that the ramp of the first ones hardly shows."""
    tiles = LOADS_PER_WORKER * workers
    tile_bytes = moved // tiles
    return TileProgram(prologue=TileSection(tuple(Tile("load", 0, activation_bytes=tile_bytes) for _ in range(tiles))))


def limited(workers: int, bandwidth: int, bytes_per_us: float) -> TileMachine:
    """Return workers of which each draws *bytes_per_us* at most; only the quotient of bytes in flight and latency decides."""
    return TileMachine(workers, bandwidth, latency_ps=LATENCY_PS, in_flight_bytes=round(bytes_per_us * LATENCY_PS / PS_PER_US))


def makespan_us(program: TileProgram, machine: TileMachine) -> float:
    """Return how long *program* takes.

    Raises
    ------
    NoTime
        The schedule deadlocks.
    """
    schedule = schedule_tiles(program, machine)
    if not isinstance(schedule, TileSchedule):
        raise NoTime(str(schedule))
    return schedule.makespan_ps / PS_PER_US


SWEEP = Published("K9", "mirage-project/mirage at 345e4132, E1: two expert kernels on a B200 by CTAs an SM, batch 16, L2 flushed", "us")
B200_SMS = 148
B200_BANDWIDTH = 7_200_000_000_000
"""What the device file states as sustained."""

SWEEP_BYTES = {"w13": 108_585_000, "w2": 56_014_000}
SWEEP_US = {"w13": {444: 41.520, 296: 45.568, 148: 67.584, 136: 77.072}, "w2": {592: 22.496, 296: 29.824, 148: 49.792, 136: 53.232}}
SOFT = (
    "between one and four CTAs an SM the rate grows less than in proportion and meets no hard ceiling: loads take longer the more of them "
    "are under way, and the latency here is a constant"
)


def sweep_rows() -> list[Row]:
    """Return K9: bytes in flight of a CTA from one an SM, the rate of the device from the stock grid, what lies between predicted."""
    basis = "bytes in flight of a CTA from 148 CTAs, the rate of all from the stock grid"
    rows = []
    for kernel, published in SWEEP_US.items():
        stock = max(published)
        for ctas, theirs in published.items():
            figure = f"{kernel} with {ctas} CTAs, {ctas / B200_SMS:.2g} an SM"
            ours = sweep_us(kernel, ctas)
            if ctas in (stock, B200_SMS):
                rows.append(SWEEP.fitted(figure, theirs, ours, basis=basis))
            else:
                before = SWEEP_BYTES[kernel] / B200_BANDWIDTH * 10**6
                reason = SOFT if ctas == 2 * B200_SMS else ""
                rows.append(SWEEP.predicted(figure, theirs, ours, basis=basis, reason=reason, before=before))
    return rows


@cache
def sweep_us(kernel: str, ctas: int) -> float:
    """Return the time of the bytes of *kernel* on *ctas* CTAs, cut as finely as its pipeline loads them."""
    bandwidth, drawn = sweep_constants(kernel)
    return makespan_us(loads(ctas, SWEEP_BYTES[kernel]), limited(ctas, bandwidth, drawn))


@cache
def sweep_constants(kernel: str) -> tuple[int, float]:
    """Return the rate of the device in bytes a second and that of a CTA in bytes a microsecond that give the two fitted figures.

    Both start from the bytes over the time, and are corrected for the ramp of the first loads.
    """
    published, moved = SWEEP_US[kernel], SWEEP_BYTES[kernel]
    stock = max(published)
    bandwidth, drawn = round(moved / published[stock] * 10**6), moved / B200_SMS / published[B200_SMS]
    for _ in range(4):
        drawn *= makespan_us(loads(B200_SMS, moved), limited(B200_SMS, bandwidth, drawn)) / published[B200_SMS]
        bandwidth = round(bandwidth * makespan_us(loads(stock, moved), limited(stock, bandwidth, drawn)) / published[stock])
    return bandwidth, drawn


MEASURED = Published("graphs", "sgl-project/sglang-omni pull request 2294: measured graphs of talker and predictor as records", "ms")


def measured_graph_rows() -> list[Row]:
    """Return what measured graphs of two stages make of Qwen3-TTS at batch 12; no composed time of it is published."""
    study = shipped_study("qwen3_tts_h100")
    four, none = (score_ms(study, name, batch=12) for name in ("m:P/m:B/m:L/m:C@serial", "c:P/c:B/c:L/c:C@serial"))
    best = "four megakernels" if four < none else "conventional"
    basis = "talker 2.30 and predictor 4.09 ms measured, the other stages and all megakernels simulated"
    reason = f"{four:.2f} against {none:.2f} ms; the published winner is that of batches 1 and 16, between which 12 lies"
    figure = "Qwen3-TTS at batch 12 with measured graphs: best design"
    return [Row("graphs", figure, "four megakernels", best, MEASURED.predicted("", 1, 1).mark, MEASURED.source, basis=basis, reason=reason)]
