"""The paper's 13 cases (arXiv 2610.35336, sections VI and VII): which design the model chooses inside each case's pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from megasolve.contracts import PS_PER_US, Study
from megasolve.simulate import Effects, Objective
from megasolve.simulate.expand.setup import Mechanisms
from megasolve.solver import BatchResult, How, Judge, Ranked
from megasolve.solver.robust.robustness import sorted_flips
from megasolve.solver.sweep.planner import Planner

from .published_derived import AS_STATED, TODAY, kept, shipped_study
from .published_premises import QWEN_EVEN, QWEN_PREMISES, Premise
from .published_row import REPEATS_MOVE, Mark, Row, Winner

PS_PER_MS = 1000 * PS_PER_US


@dataclass(frozen=True, slots=True)
class Margin:
    """A published margin between the first two designs of a pool: a lead of the first in ms, or its time over the second's."""

    published: float
    unit: Literal["ms", "x"]
    reason: str


@dataclass(frozen=True, slots=True)
class Case:
    """One model of the paper: its spec, pool of measured designs, and by batch the winners' ids that would be right.

    *shown* prints the published winner. A case that is not *counted* stands apart from the 13. *premises* are what it assumes and others
    measured otherwise; *even* is one under which both sides of a wrong one have equal tiles.
    """

    spec: str
    model: str
    pool: tuple[str, ...]
    winners: dict[int, tuple[str, ...]]
    shown: dict[int, str]
    mark: Mark
    source: str
    basis: str
    reasons: dict[int, str]
    margins: dict[int, Margin] = field(default_factory=dict)
    counted: bool = True
    premises: tuple[Premise, ...] = ()
    even: Premise | None = None


LIBRARIES_LEAD = (
    "public products of a library reach 0.52 to 0.82 of the dense rate from 2,048 rows, the published step of the megakernel is 0.445, and "
    "nobody published this prefill as a graph, on any H100"
)
LLAMA = Case(
    spec="llama_1b",
    model="Llama-1B first token",
    pool=("m:P/m:D@serial", "m:P+D@serial", "c:P/c:D@serial"),
    winners=dict.fromkeys((1, 2, 16, 32, 48), ("m:P/m:D@serial",)),
    shown=dict.fromkeys((1, 2, 16, 32, 48), "two megakernels"),
    mark=Mark.PREDICTED,
    source="sections VI and VII: two megakernels at every batch (inferred, no list per batch is printed)",
    basis=(
        "inputs: the published step benchmark of the two prefill entries at batch 1 (276 and 316 us a layer), as records there and as tile "
        "efficiencies elsewhere; the products of the graph in tiles of a library, at its public rates"
    ),
    reasons=dict.fromkeys((1, 2, 16, 32, 48), LIBRARIES_LEAD),
)
EARLY_CROSSING = "the model's crossing lies at a lower batch than the published one, so four megakernels are farther behind"
QWEN_POOL = ("m:P/m:B/m:L/m:C@serial", "c:P/c:B/c:L/c:C@serial")
QWEN = Case(
    spec="qwen3_tts",
    model="Qwen3-TTS first audio",
    pool=QWEN_POOL,
    winners={batch: QWEN_POOL[:1] if batch <= 32 else QWEN_POOL[1:] for batch in (1, 16, 32, 48, 64)},
    shown={batch: "four megakernels" if batch <= 32 else "conventional" for batch in (1, 16, 32, 48, 64)},
    mark=Mark.PREDICTED,
    source="section VI: four megakernels up to batch 32, conventional from 48 (two megakernels lost at 1; the paper names no cut)",
    basis=(
        "inputs: published dimensions, task grids of the public mirage kernels for Qwen3, waits and gaps of the Llama fit on an H100, "
        "efficiency of the Llama prefill (assumed); 1.7B and 4 frames in the first chunk are our choice, the paper prints neither"
    ),
    reasons=dict.fromkeys(
        (16, 32),
        "the lead falls with the batch as published, but crosses below 16: the prefill of the megakernel is assumed to have the rate of "
        "Llama's, that of the graph has public ones of libraries, and the conventional side has host time that nobody published",
    ),
    margins={
        16: Margin(15.9, "ms", "the published lead needs about 10 ms of host and stage time of vLLM, which no public file gives"),
        48: Margin(1.042, "x", EARLY_CROSSING),
        64: Margin(1.032, "x", EARLY_CROSSING),
    },
    premises=QWEN_PREMISES,
    even=QWEN_EVEN,
)
NH_LAYOUT = "m:P/m:B+L/m:C"
NH_POOL = (
    *(f"{NH_LAYOUT}@{policy}" for policy in ("serial", "dynamic:88/44", "dynamic:80/52")),
    *(f"{layout}@{policy}" for layout in ("m:P+B+L+C", "m:P/m:B+L+C") for policy in ("serial", "fixed:88/44")),
    "c:P/c:B/c:L/c:C@serial",
)
NH_WINNERS = {1: NH_POOL[:1], 32: NH_POOL[1:2], 64: NH_POOL[1:3]}
NH_SHOWN = {1: "three megakernels, serial", 32: "three, dynamic 88/44", 64: "three, dynamic"}
NH_SOURCE = "section VI: P/(B+L)/C; serial at 1 is derived, 88/44 at 32 is printed, the pair at 64 is not"
NH_TTS = Case(
    spec="nh_tts",
    model="NH-TTS first audio",
    pool=NH_POOL,
    winners=NH_WINNERS,
    shown=NH_SHOWN,
    mark=Mark.FITTED,
    source=NH_SOURCE,
    basis="fitted to the published totals of these very designs (specs/nh_tts/README.md), so it counts for nothing",
    reasons={},
)
GRAPHS_UNKNOWN = (
    "three megakernels lead the other megakernel designs as published, but not the graphs: those of NH-TTS take 73 ms at batch 1 where "
    "these take 25, and nobody published why"
)
STAND_IN = Case(
    spec="nh_tts_standin",
    model="STAND-IN for NH-TTS",
    pool=NH_POOL,
    winners=NH_WINNERS,
    shown=NH_SHOWN,
    mark=Mark.PREDICTED,
    source=NH_SOURCE,
    basis="another model (EasyMagpieTTS), so no prediction of NH-TTS, and not one of the 13",
    reasons={
        1: "the three megakernels of the paper, but overlapped: the codec fits beside the last step here",
        32: GRAPHS_UNKNOWN,
        64: GRAPHS_UNKNOWN,
    },
    counted=False,
)
CASES = (LLAMA, QWEN, NH_TTS, STAND_IN)


def case_rows(case: Case, batch: int) -> list[Row]:
    """Return the rows of *case* at *batch*: its winner, and the margin where one is published."""
    study = shipped_study(case.spec)
    result, judge = _planned(study, batch)
    before = result if case.mark is Mark.FITTED else _planned(study, batch, AS_STATED)[0]
    margin = case.margins.get(batch)
    turns = turning(judge, [row for row in result.ranking if row.id in case.pool])
    winner = replace(_winner(case, result, turns), was_right=_chosen_right(case, before)[1])
    if winner.is_right and case.mark is Mark.PREDICTED:
        winner = _close(winner, _lead_of([row for row in result.ranking if row.id in case.pool]))
    return [_resting(case, winner, batch), *([_margin(case, result, before, margin)] if margin else [])]


def _planned(study: Study, batch: int, mechanisms: Mechanisms = TODAY) -> tuple[BatchResult, Judge]:
    planner = Planner(study, How(kept(mechanisms), Effects()))
    judge = planner.judge(batch, Objective.FIRST_PUBLICATION)
    planner.prepare([judge])
    return planner.plan(judge), judge


def _close(winner: Winner, lead: Fraction) -> Winner:
    """Return a right *winner* as too close to call where it leads by less than a repeat of a measurement moves."""
    if lead >= REPEATS_MOVE:
        return winner
    told = f"too close to call: {float(lead):.2%} apart, a repeat of a measurement moves by up to {REPEATS_MOVE:.0%}"
    return replace(winner, is_close=True, reason=f"{winner.reason}; {told}")


def _resting(case: Case, winner: Winner, batch: int) -> Winner:
    """Return *winner* with the premise that it rests on: the first one without which the pool has another best design."""
    if not winner.is_right:
        return _evened(case, winner, batch)
    for premise in case.premises:
        if batch in premise.batches and (other := _other_best(case, premise, batch)):
            is_open = batch in premise.open
            # One that is close anyway is counted as that, whatever else turns it.
            sure = "turns without this, too" if winner.is_close else "rests on one assumption"
            what = "too close to call" if is_open else sure
            told = f"{what}: {premise.name} ({premise.source}); else {other}"
            return replace(winner, rests_on=premise.name, is_close=winner.is_close or is_open, reason=f"{winner.reason}; {told}")
    return replace(winner, reason=f"{winner.reason}; no premise that a measurement speaks against turns it")


def _evened(case: Case, winner: Winner, batch: int) -> Winner:
    """Return a wrong *winner* with what the pool would say if both sides had equal tiles, where the case asks that."""
    if case.even is None or batch not in case.even.batches:
        return winner
    result, _ = _planned(case.even.changed(shipped_study(case.spec)), batch)
    ranked = [row for row in result.ranking if row.id in case.pool]
    chosen, is_right = _chosen_right(case, result)
    told = f"{'right' if is_right else 'wrong'} with {case.even.name} ({case.even.source}): {_lead(ranked, chosen)}"
    return replace(winner, reason=f"{winner.reason}; {told}")


def _other_best(case: Case, premise: Premise, batch: int) -> str:
    """Return the best design of the pool without *premise* where that is no published winner, else nothing."""
    result, _ = _planned(premise.changed(shipped_study(case.spec)), batch)
    chosen = chosen_ids([row for row in result.ranking if row.id in case.pool])
    return "" if set(chosen) & set(case.winners[batch]) else " = ".join(chosen)


def turning(judge: Judge, pool: Sequence[Ranked]) -> str:
    """Return how far the single time that is the nearest to turning the winner of *pool* may be off."""
    near = next(iter(sorted_flips(judge, pool)), None)
    if near is None or near.nearest is None:
        return "no single time turns it"
    return f"turns where {near.time.name} ({near.time.evidence}) is off by {float(near.nearest.ratio):+.2%}: then {near.nearest.after[0]}"


def _winner(case: Case, result: BatchResult, turns: str) -> Winner:
    """Return the unique design of least score in the pool of *case* against the published one."""
    batch = result.batch
    ranked = [row for row in result.ranking if row.id in case.pool]
    chosen, is_right = _chosen_right(case, result)
    because = "" if is_right else case.reasons.get(batch, "")
    return Winner(
        table="case" if case.counted else "apart",
        figure=f"{case.model}, batch {batch}: best design",
        published=case.shown[batch],
        predicted=" = ".join(chosen) or "nothing feasible",
        mark=case.mark,
        source=case.source,
        basis=case.basis,
        reason="; ".join(note for note in (_lead(ranked, chosen), turns, because) if note),
        is_right=is_right,
        is_counted=case.counted,
    )


def _chosen_right(case: Case, result: BatchResult) -> tuple[tuple[str, ...], bool]:
    """Return the ids of least score in the pool of *case*, and whether they are one design that the paper names."""
    chosen = chosen_ids([row for row in result.ranking if row.id in case.pool])
    return chosen, any(winner in chosen for winner in case.winners[result.batch]) and is_one_design(result, chosen)


def _margin(case: Case, result: BatchResult, before: BatchResult, margin: Margin) -> Row:
    what = "lead of" if margin.unit == "ms" else "time over conventional of"
    figure = f"{case.model}, batch {result.batch}: {what} four"
    ours, earlier = (_apart(case, one, margin) for one in (result, before))
    return Row("paper", figure, margin.published, ours, Mark.PREDICTED, "section VI", margin.unit, reason=margin.reason, before=earlier)


def _apart(case: Case, result: BatchResult, margin: Margin) -> float:
    first, second = (next(float(row.score_ps) for row in result.ranking if row.id == name) for name in case.pool[:2])
    return (second - first) / PS_PER_MS if margin.unit == "ms" else first / second


def chosen_ids(ranked: Sequence[Ranked]) -> tuple[str, ...]:
    """Return the ids of least score among *ranked*, best first; ties are all of them."""
    least = min((row.score_ps for row in ranked), default=None)
    return tuple(row.id for row in ranked if row.score_ps == least)


def is_one_design(result: BatchResult, ids: Sequence[str]) -> bool:
    """Return whether the candidates *ids* lower to one event graph: ties count by design."""
    designs = {row.same_as or row.id for row in result.ranking if row.id in ids}
    return len(designs) == 1


def _lead(ranked: Sequence[Ranked], chosen: Sequence[str]) -> str:
    others = [row for row in ranked if row.id not in chosen]
    if not others or not chosen:
        return ""
    second = min(others, key=lambda row: row.score_ps)
    return f"{float(ranked[0].score_ps) / PS_PER_MS:.2f} ms, next in the pool {second.id}, {float(_lead_of(ranked)):.2%} slower"


def _lead_of(ranked: Sequence[Ranked]) -> Fraction:
    """Return by which part of its score the best of *ranked* leads the next that is not tied with it; 1 where none is."""
    best = ranked[0].score_ps
    others = [row.score_ps for row in ranked if row.score_ps != best]
    return Fraction(min(others)) / Fraction(best) - 1 if others else Fraction(1)
