"""Kernels that share a GPU, and one kernel at several numbers of CTAs: pairs on green contexts of a Hopper, a sweep on a B200."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

from megasolve.contracts import PS_PER_MS
from megasolve.simulate.expand.setup import Mechanisms
from megasolve.simulate.predict.rounds import rounds_beside
from megasolve.solver import solve

from .published_derived import TODAY, NoTime, derived_us, kept, score_ms, shipped_study
from .published_row import Mark, Published, Row

PAIRS = Published("pairs", "Yi-sir/Cuda-Kernel-Interference-Performance at 68b110b8: 132 SMs, two green contexts of s and 128 - s", "ms")
SMS = tuple(range(8, 121, 8))
SHARED_SMS = 128
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
BESIDE = {"attention": MLA_BESIDE, "gemm": GEMM_BESIDE, "experts": MOE_BESIDE}
FITTED_SMS = 8
UNLIMITED = Mechanisms().without("in_flight")
"""A CTA draws whatever the memory gives: what the model said before."""

BASIS = {
    "attention": "75 us alone on all SMs; its loads hide behind what a tile computes",
    "gemm": "3.845 ms alone on all SMs, in tiles of 128 x 128",
    "experts": "bytes in flight of an SM, fitted at 8 SMs; 3.9 TB/s for both together",
}
WAVES = "a wave takes 65 us where fewer SMs share the memory, and 75 alone on all of them"
LATENCY = "a partner that fills the memory queue makes every load wait longer; sharing the bandwidth does not know that"
REASONS = {("attention", "gemm"): WAVES, ("attention", "experts"): WAVES, ("gemm", "experts"): LATENCY}


@dataclass(frozen=True, slots=True)
class Pair:
    """A shipped pair: its *producer* and its *consumer*."""

    producer: str
    consumer: str

    @property
    def sides(self) -> tuple[str, str]:
        """The kernels, the producer first."""
        return self.producer, self.consumer

    @property
    def spec(self) -> str:
        """The name of its spec."""
        return f"published/hopper_pairs_{self.producer}_{self.consumer}"

    def split(self, sms: int) -> str:
        """Return the candidate with *sms* SMs for the producer and the others of 128 for the consumer."""
        return f"c:{self.producer}/c:{self.consumer}@partition:{sms}/{SHARED_SMS - sms}"


PAIRED = (Pair("attention", "gemm"), Pair("attention", "experts"), Pair("experts", "gemm"))


def pair_rows() -> list[Row]:
    """Return each of three kernels beside each of the others on 15 splits of the SMs, and what the best split of each pair is worth."""
    kernels = ((kernel, partner) for kernel, series in BESIDE.items() for partner in series)
    return [*chain.from_iterable(_beside_rows(kernel, partner) for kernel, partner in kernels), *map(_worth_row, PAIRED)]


def _beside_rows(kernel: str, partner: str) -> list[Row]:
    """Return the rows of *kernel* beside *partner*."""
    reason = REASONS.get((kernel, partner), "")
    ours, before = beside_ms(kernel, partner), beside_ms(kernel, partner, UNLIMITED)
    return [
        Row(
            PAIRS.table,
            f"{kernel} on {sms} SMs beside {partner}",
            BESIDE[kernel][partner][at],
            ours[at],
            Mark.FITTED if is_fitted(kernel, partner, sms) else Mark.PREDICTED,
            PAIRS.source,
            PAIRS.unit,
            BASIS[kernel],
            reason,
            before[at],
        )
        for at, sms in enumerate(SMS)
    ]


def is_fitted(kernel: str, partner: str, sms: int) -> bool:
    """Whether the bytes in flight of the experts are fitted to this figure."""
    return (kernel, partner, sms) == ("experts", "attention", FITTED_SMS)


def beside_ms(kernel: str, partner: str, mechanisms: Mechanisms = TODAY) -> Sequence[float]:
    """Return the mean time of *kernel* on each of `SMS` while *partner* goes on and on with the others of 128."""
    pair = next(one for one in PAIRED if {*one.sides} == {kernel, partner})
    side = pair.sides.index(kernel)
    times = [both[side] for both in pair_ms(pair, mechanisms)]
    return times[::-1] if side else times


@cache
def pair_ms(pair: Pair, mechanisms: Mechanisms = TODAY) -> Sequence[tuple[float, float]]:
    """Return what a kernel of either side of *pair* takes on each split, where both go round and round beside each other.

    Raises
    ------
    NoTime
        A split cannot be planned, or one side is too short for the other.
    """
    study = shipped_study(pair.spec)
    kernels = _kernels(pair)
    # Rounds are of steps and first chunks: what a steady objective looks at can be longer.
    (result,) = solve(study, objective="first_publication", derivation=kept(mechanisms)).results
    compositions = {row.id: row.composed.composition for row in result.ranking}
    times = []
    for sms in SMS:
        found = rounds_beside(compositions[pair.split(sms)], [pair.producer], [pair.consumer])
        if found is None or found.beside is None:
            raise NoTime(f"{pair.spec}: nothing is known of {pair.split(sms)}")
        first, second = (float(time) / PS_PER_MS / kernels[name] for time, name in zip(found.beside, pair.sides, strict=True))
        times.append((first, second))
    return tuple(times)


def _kernels(pair: Pair) -> dict[str, int]:
    """Return how many kernels a round of each side of *pair* has."""
    study = shipped_study(pair.spec)
    per_call = {one.value.members[0]: one.value.kernels for one in study.contracts}
    return {group.name: group.calls * per_call[group.name] for group in study.spec.value.groups}


WORTH = Published("pairs", PAIRS.source, "times")
WORTH_BASIS = "rounds of both sides on the best split; published: of each split the side that takes longer, by its times above"


def _worth_row(pair: Pair) -> Row:
    ours, theirs = worths(pair)
    reason = "" if (theirs < 1) is (ours < 1) else REASONS.get(pair.sides) or REASONS[pair.sides[::-1]]
    figure = f"{pair.producer} and {pair.consumer}, best split over one after the other"
    return WORTH.predicted(figure, theirs, ours, basis=WORTH_BASIS, reason=reason)


@cache
def worths(pair: Pair) -> tuple[float, float]:
    """Return a round of both sides of *pair* on its best split over one after the other: by the model, and by the published times.

    One after the other is published, too: it is the kernels alone on all SMs.
    """
    (result,) = solve(shipped_study(pair.spec), derivation=kept()).results
    scores = {row.id: float(row.score_ps) / PS_PER_MS for row in result.ranking}
    kernels, (first, second) = _kernels(pair), pair.sides
    beside = zip(BESIDE[first][second], BESIDE[second][first][::-1], strict=True)
    serial = scores[f"c:{first}/c:{second}@serial"]
    theirs = min(max(kernels[first] * one, kernels[second] * other) for one, other in beside)
    return min(scores[pair.split(sms)] for sms in SMS) / serial, theirs / serial


SWEEP = Published("K9", "mirage-project/mirage at 345e4132, E1: two expert kernels on a B200 by CTAs an SM, batch 16, L2 flushed", "us")
EXPERTS = "published/mirage_experts"
B200_SMS = 148
SWEEP_US = {"w13": {444: 41.520, 296: 45.568, 148: 67.584, 136: 77.072}, "w2": {592: 22.496, 296: 29.824, 148: 49.792, 136: 53.232}}
ENTRIES = {"w13": {444: "three_an_sm", 296: "two_an_sm", 148: "one_an_sm", 136: "persistent"}}
ENTRIES["w2"] = {592: "four_an_sm", **{ctas: entry for ctas, entry in ENTRIES["w13"].items() if ctas < 444}}
FITTED_GRIDS = {"w13": (444, 148), "w2": (148,)}
"""What a CTA draws is fitted for each kernel, the rate of all of them once."""

LARGER = (
    "the rule takes the larger of two limits, what the CTAs draw and the rate of all; between one and four an SM both are felt. In series, "
    "1 / rate = 1 / (CTAs * q / l) + 1 / B, fitted to one an SM and to the kernel's own stock grid, it would be {error:+.1%}"
)


def sweep_rows() -> list[Row]:
    """Return K9: bytes in flight of a CTA from one an SM, the rate of all from one stock grid, all else predicted."""
    basis = "bytes in flight of a CTA from 148 CTAs, the rate of all from the stock grid of w13"
    rows = []
    for kernel, published in SWEEP_US.items():
        for ctas, theirs in published.items():
            figure = f"{kernel} with {ctas} CTAs, {ctas / B200_SMS:.2g} an SM"
            ours, before = sweep_us(kernel, ctas), sweep_us(kernel, ctas, "b200", UNLIMITED)
            if ctas in FITTED_GRIDS[kernel]:
                rows.append(SWEEP.fitted(figure, theirs, ours, basis=basis, before=ours))
            else:
                reason = LARGER.format(error=in_series_us(kernel, ctas) / theirs - 1) if ctas == 2 * B200_SMS else ""
                rows.append(SWEEP.predicted(figure, theirs, ours, basis=basis, reason=reason, before=before))
    return rows


@cache
def sweep_us(kernel: str, ctas: int, device: str | None = None, mechanisms: Mechanisms = TODAY) -> float:
    """Return the time of *kernel* on *ctas* CTAs; *device* is that of the spec, which has the rate that these kernels reach."""
    return derived_us(shipped_study(EXPERTS, device), f"{kernel}_{ENTRIES[kernel][ctas]}", kernel, batch=16, mechanisms=mechanisms)


def in_series_us(kernel: str, ctas: int) -> float:
    """Return the time of *kernel* on *ctas* CTAs if what they draw and the rate of all were passed one after the other.

    Its two constants come from one CTA an SM and from the kernel's own stock grid: T = a / CTAs + b.
    """
    published = SWEEP_US[kernel]
    stock = max(published)
    by_ctas = (published[B200_SMS] - published[stock]) / (1 / B200_SMS - 1 / stock)
    return published[stock] + by_ctas * (1 / ctas - 1 / stock)


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
