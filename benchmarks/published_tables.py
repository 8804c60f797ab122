"""Tables of measurements that others published: SM sweeps, launch chains, barriers, int8 megakernels, prefetch and grid sweeps."""

from __future__ import annotations

from fractions import Fraction

from megasolve.contracts import PS_PER_US
from megasolve.simulate.events.waves import wave_factor
from megasolve.simulate.expand.setup import Mechanisms
from megasolve.simulate.tiles.machine import TileMachine
from megasolve.simulate.tiles.outcome import TileSchedule
from megasolve.simulate.tiles.program import TileProgram, TileSection
from megasolve.simulate.tiles.scheduler import schedule_tiles
from megasolve.simulate.tiles.tile import Tile

from .published_derived import AS_STATED, TODAY, NoTime, derived_us, repeated, score_ms, shipped_study
from .published_row import Published, Row

SWEEP = Published("T1", "sgl-project/sglang-omni pull request 1934: stages of Qwen3-TTS on an H200, relative to 132 SMs", "x")
SWEEP_SMS = (32, 48, 64, 80, 96)
TALKER = dict(zip(SWEEP_SMS, (1.33, 1.21, 1.09, 1.08, 1.06), strict=True))
VOCODER = dict(zip(SWEEP_SMS, (2.5, 1.83, 1.49, 1.30, 1.18), strict=True))


def sweep_rows() -> list[Row]:
    """Return T1: the conventional stages confined to fewer SMs, by their tile graphs."""
    drawn = "the device file has no port limit, so a few SMs can draw the whole bandwidth"
    shaped = "one tile shape and one efficiency for all convolutions"
    talker, vocoder = ({sms: stage(sms, TODAY) for sms in (*SWEEP_SMS, 132)} for stage in (_talker_us, _vocoder_us))
    before = [{sms: stage(sms, AS_STATED) for sms in (*SWEEP_SMS, 132)} for stage in (_talker_us, _vocoder_us)]
    return [
        SWEEP.predicted(figure.format(sms), ratio, now[sms] / now[132], reason=reason, before=then[sms] / then[132])
        for figure, published, now, then, reason in (
            ("talker step, 16 requests, {} SMs", TALKER, talker, before[0], drawn),
            ("vocoder, 2 x 24 frames, {} SMs", VOCODER, vocoder, before[1], shaped),
        )
        for sms, ratio in published.items()
    ]


def _talker_us(sms: int, mechanisms: Mechanisms) -> float:
    study = shipped_study("qwen3_tts", "h200")
    talker, predictor = (derived_us(study, f"{group}_graph", group, batch=16, workers=sms, mechanisms=mechanisms) for group in ("B", "L"))
    return talker + 15 * predictor


def _vocoder_us(sms: int, mechanisms: Mechanisms) -> float:
    study = shipped_study("qwen3_tts", "h200")
    return derived_us(study, "C_graph", "C", batch=2, shapes={"frames": 24}, workers=sms, mechanisms=mechanisms)


CHAIN = Published("T5", "ahrefs/ocannl issue 488: chains of empty kernels on an RTX 5070 Ti Laptop, WSL2", "us")
CHAIN_KERNELS = (8, 16, 24, 36, 64, 117)
LAUNCHES_US = dict(zip(CHAIN_KERNELS, (51.9, 119.3, 159.1, 233.5, 411.7, 735.4), strict=True))
GRAPH_US = dict(zip(CHAIN_KERNELS, (19.4, 25.6, 28.7, 37.9, 49.1, 82.9), strict=True))
LAPTOP, H100 = "rtx_5070_ti_laptop", "h100_sxm"


def chain_rows() -> list[Row]:
    """Return T5: what the host has of a launch as published, all else from the longest chain; both costs of a graph from its two ends."""
    host = "2.65 us of host as published, 6.26 us a launch from the longest chain"
    ends = "14.74 us and 0.583 us a node, from the shortest and the longest chain"
    launch_us, gap_us = chain_constants(LAUNCHES_US)
    rows = []
    for kernels, theirs in LAUNCHES_US.items():
        row = CHAIN.fitted if kernels == max(CHAIN_KERNELS) else CHAIN.predicted
        ours, before = chain_us("launches", kernels), launch_us + gap_us * kernels
        rows.append(row(f"{kernels} empty kernels as launches", theirs, ours, basis=host, before=before))
    for kernels, theirs in GRAPH_US.items():
        row = CHAIN.fitted if kernels in (min(CHAIN_KERNELS), max(CHAIN_KERNELS)) else CHAIN.predicted
        rows.append(row(f"{kernels} empty kernels as one graph", theirs, chain_us("graph", kernels), basis=ends))
    return rows


def chain_us(way: str, kernels: int, device: str = LAPTOP) -> float:
    """Return the score of so many empty *kernels* as one `graph` or as `launches`."""
    study = repeated(shipped_study("published/launch_chain", device), kernels)
    return 1000 * score_ms(study, "c:K@serial", entries={"K": way})


def chain_constants(published: dict[int, float]) -> tuple[float, float]:
    """Return the launch and the gap per kernel that reproduce the shortest and the longest chain."""
    short, long = min(published), max(published)
    gap_us = (published[long] - published[short]) / (long - short)
    return published[short] - gap_us * short, gap_us


BARRIER = Published("T6", "Infatoshi/MegaQwen at 0bc1fded, experiments: RTX 3090, 82 CTAs of 256 threads", "us")
NORM = Published("T6", BARRIER.source, "ms")
OPERATORS, FEWER = 225, 56
NORM_MS = {1: (5.655, 3.982), 10: (5.708, 4.006), 50: (5.819, 4.107), 100: (5.936, 4.227), 200: (6.202, 6.883)}


def barrier_rows() -> list[Row]:
    """Return T6: 225 operators by barriers, graph and launches, at their own costs and at others', and what 56 barriers less saved."""
    foreign = "a constant of another device: such costs do not travel between GPUs"
    idle = "the barrier is the small part: while one CTA computes the norm 81 idle, which no cost per barrier knows"
    quotient = "0.73 us a barrier is published, as a quotient of this total; a launch is the 3.05 us that it leaves"
    saved_ms = operators_us("cooperative") / 1000 - operators_us("cooperative", OPERATORS - FEWER) / 1000
    h100_us, laptop_us = chain_us("graph", OPERATORS, H100), chain_us("launches", OPERATORS)
    return [
        BARRIER.fitted("225 operators, grid barriers", 167.3, operators_us("cooperative"), basis=quotient),
        BARRIER.fitted("225 operators, CUDA graph", 186.9, operators_us("graph"), basis="0.831 us a node, of this total"),
        BARRIER.fitted("225 operators, launches", 347.5, operators_us("launches"), basis="1.544 us a launch, of this total"),
        BARRIER.predicted("the graph, at an H100's cost", 186.9, h100_us, basis="1.3 us a node, of an H100", reason=foreign),
        BARRIER.predicted("the launches, at a laptop's cost", 347.5, laptop_us, basis="6.26 us a launch, of table T5", reason=foreign),
        *(
            NORM.predicted(f"56 barriers less, position {position}", after_ms, before_ms - saved_ms, basis="56 x 0.73 us", reason=idle)
            for position, (before_ms, after_ms) in NORM_MS.items()
        ),
    ]


def operators_us(way: str, operators: int = OPERATORS) -> float:
    """Return the score of so many empty *operators* on an RTX 3090: in one `cooperative` kernel, as one `graph` or as `launches`."""
    study = repeated(shipped_study("published/barriers_3090"), operators)
    if way == "cooperative":
        return 1000 * score_ms(study, "m:O@serial")
    return 1000 * score_ms(study, "c:O@serial", entries={"O": way})


INT8 = Published("T9", "RightNow-AI/AutoMegaKernel, DATACENTER_RESULTS: bf16 library graph over int8 megakernel, batch 1", "x")
INT8_RATIOS = {"L4, 2.7B": 1.25, "L40S, 6.7B": 1.27, "A10G, 4B": 1.08, "A100, 1.3B": 0.79, "A100, 13B": 0.55, "H100, smallest": 0.72}


def int8_rows() -> list[Row]:
    """Return T9, whose decisive input is not published."""
    lacks = "the share of the bandwidth that the int8 kernels reach on each device; half the bytes alone would say 2"
    return [INT8.missing(name, ratio, lacks=lacks) for name, ratio in INT8_RATIOS.items()]


PREFETCH = Published("T14", "Neroued/ninfer pull request 150: 170 SMs, time with prefetch over time without", "x")
PREFETCH_RATIOS = {128: 0.915, 170: 0.959, 176: 0.981, 192: 1.019, 224: 1.037, 288: 1.038, 384: 1.092, 448: 1.136, 512: 1.012, 1024: 1.090}
GRID = Published("T14", "mumax/3 pull request 415: a reduction on 48 SMs, 144 resident CTAs, relative to 128 CTAs", "x")
GRID_US = {128: 44.1, 192: 45.3, 256: 59.1, 384: 44.8, 2048: 48.9}
RESIDENT_CTAS = 144


def prefetch_rows() -> list[Row]:
    """Return T14: a dependent grid with and without prefetch of its weights, and a reduction over ever smaller blocks."""
    sign = "a miss in sign above one CTA an SM: the model knows no cost of prefetch but bandwidth, which is free here"
    waves = "memory-bound: the last wave does not show where the rule says, so a measured record must win over it"
    basis = "64 KiB of weights and 2 us of compute a CTA, after as many CTAs of another kernel (assumed)"
    return [
        *(
            PREFETCH.predicted(f"prefetch, {grid} CTAs", ratio, prefetch_ratio(grid), basis=basis, reason=sign if ratio > 1 else "")
            for grid, ratio in PREFETCH_RATIOS.items()
        ),
        *(
            GRID.predicted(
                f"reduction, {grid} CTAs",
                time_us / GRID_US[128],
                float(grid_time(grid) / grid_time(128)),
                basis="the wave rule",
                reason=waves,
            )
            for grid, time_us in GRID_US.items()
            if grid != 128
        ),
    ]


def grid_time(grid: int) -> Fraction:
    """Return the waves of *grid* CTAs, each with its share of the work."""
    return wave_factor(grid, RESIDENT_CTAS, grid) / grid


def prefetch_ratio(grid: int) -> float:
    """Return the time of *grid* CTAs that follow as many others, with prefetch over without, on 170 SMs at 1.53 TB/s."""
    return dependent_grid_ps(grid, prefetch=True) / dependent_grid_ps(grid, prefetch=False)


def dependent_grid_ps(grid: int, *, prefetch: bool, weight_bytes: int = 65_536, bandwidth_bytes_per_s: int = 1_530_000_000_000) -> int:
    """Return what *grid* CTAs take that load their weights and wait for as many others, which only compute.

    Raises
    ------
    NoTime
        The schedule deadlocks.
    """
    first = TileSection(tuple(Tile("before", 2 * PS_PER_US, signals=("before",)) for _ in range(grid)), (("before", grid),))
    after = tuple(Tile("grid", 2 * PS_PER_US, weight_bytes, staging_bytes=weight_bytes, waits_before=("before",)) for _ in range(grid))
    machine = TileMachine(170, bandwidth_bytes_per_s, staging_bytes=2 * weight_bytes, prefetch=prefetch)
    schedule = schedule_tiles(TileProgram(prologue=first, epilogue=TileSection(after)), machine)
    if not isinstance(schedule, TileSchedule):
        raise NoTime(str(schedule))
    return schedule.makespan_ps
