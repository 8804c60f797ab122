"""Runs for a person: the fastest candidate first, how much each side of a co-run slows, and what did not qualify."""

from __future__ import annotations

from dataclasses import replace

from megasolve.contracts.measuring.runs import ExcludedRun, MeasuredRuns, PairSide, TimedComposition, TimedPair
from megasolve.report import runs_text

SIDE = PairSide(groups=("B", "L"), backend="megakernel", entries="B_L", ctas=88, solo_us=None, pair_us=None, slowdown=None)
PAIR = TimedPair(SIDE, SIDE, batch=1, because=None, relative_l2=None, notes=(), cooperative=True, wanted_ctas=132, met_ctas=132)


def run(candidate: str, time_us: float | None, batch: int = 1, because: str | None = None) -> TimedComposition:
    interval = None if time_us is None else (time_us - 1, time_us + 2)
    return TimedComposition(candidate, ("P",), batch, because, 1e-6, (), time_us, interval, 3)


def runs(*compositions: TimedComposition, co_runs: tuple[TimedPair, ...] = (), excluded: tuple[ExcludedRun, ...] = ()) -> MeasuredRuns:
    return MeasuredRuns(
        "a", "b", "gpu", fake=False, measured="runs.jsonl", compositions=compositions, co_runs=co_runs, excluded=excluded, complete=True
    )


def test_candidates_stand_by_batch_and_the_fastest_of_each_is_the_best() -> None:
    shown = runs(run("slow", 1412.5), run("fast", 1130.0), run("other", 9.0, batch=4))
    assert runs_text(shown, ()).splitlines() == [
        "batch  candidate (cover@policy)  time (µs)  95 % (µs)               over best  blocks",
        "    1  fast                      1,130.000  1,129.000 to 1,132.000       best       3",
        "    1  slow                      1,412.500  1,411.500 to 1,414.500   +25.00 %       3",
        "    4  other                         9.000  8.000 to 11.000              best       3",
        "",
        "wrote 3 runs to runs.jsonl",
    ]


def test_a_co_run_says_how_many_times_longer_each_side_takes() -> None:
    producer = replace(SIDE, solo_us=30.0, pair_us=39.0, slowdown=1.3)
    consumer = PairSide(("C",), "conventional", "C_tanh", ctas=None, solo_us=8.0, pair_us=60.56, slowdown=7.57)
    shown = replace(PAIR, producer=producer, consumer=consumer, notes=("a note",))
    assert runs_text(runs(co_runs=(shown,)), ()).splitlines() == [
        "batch  producer  CTAs  alone (µs)  beside (µs)  times  consumer  CTAs  alone (µs)  beside (µs)  times",
        "    1  m:B+L       88      30.000       39.000   1.30  c:C       free       8.000       60.560   7.57",
        "",
        "m:B+L on 88 beside c:C, batch 1: a note",
        "wrote 1 run to runs.jsonl",
    ]


def test_what_did_not_qualify_has_a_reason_and_no_number() -> None:
    failed = replace(PAIR, batch=4, because="not co-resident: 5 of 6 CTAs met within 2 s")
    wrong, large = run("wrong", None, because="it hangs"), ExcludedRun("large", 1, "LIM-12 too large")
    shown = runs(wrong, co_runs=(failed,), excluded=(large,))
    assert runs_text(shown, ["the end"]).splitlines() == [
        "did not qualify: wrong, batch 1: it hangs",
        "did not qualify: m:B+L on 88 beside m:B+L on 88, batch 4: not co-resident: 5 of 6 CTAs met within 2 s",
        "not run: large, batch 1: LIM-12 too large",
        "wrote 2 runs to runs.jsonl",
        "the end",
    ]
