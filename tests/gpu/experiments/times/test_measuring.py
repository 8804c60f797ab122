"""What becomes of answers: accepted samples are written, and everything else is told and not written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from megasolve.contracts import Study
from megasolve.contracts.measuring.times import MeasuredTimes, SeenCosts
from megasolve.contracts.measuring.wishes import MeasuringWishes
from megasolve.gpu.driver import ClockReason
from megasolve.gpu.experiments.times.facts import measured_times
from megasolve.gpu.experiments.times.measuring import measure
from megasolve.gpu.experiments.times.plan import TimesBlock, blocks
from megasolve.gpu.experiments.times.record_file import RecordFile, records_in
from megasolve.gpu.experiments.times.running import Answer, DriverLost, Runner
from megasolve.gpu.harness.counts import ON_GPU
from megasolve.gpu.harness.places.places import OnGpu
from megasolve.gpu.harness.request import Experiment
from megasolve.gpu.harness.results import BlockResult, Failure, Repeat, Timed, WholeTime
from tests.support.kernels.streamlet import shipped
from tests.support.standin.timed import CALM, device_facts, samples, timed, wanted_of

STUDY = shipped()
STEADY = [100.0, 101.0, 100.0, 99.0, 100.0]
KERNELS = ("L_norm_f", "L_logits", "L_sample")


@dataclass(frozen=True, slots=True)
class Answered(Runner):
    """A runner whose children have answered already; an error among the answers ends the run."""

    given: tuple[tuple[Answer, ...] | DriverLost, ...] = ()

    def costs(self, _block: TimesBlock) -> SeenCosts | str:
        """Return that there are none."""
        return "not asked"

    def answers(self, found: Sequence[TimesBlock]) -> Iterator[tuple[TimesBlock, tuple[Answer, ...]]]:
        """Yield what was given, block by block."""
        for block, given in zip(found, self.given, strict=False):
            if isinstance(given, DriverLost):
                raise given
            yield block, given


def result(*each: Timed, failures: tuple[Failure, ...] = (), whole: WholeTime | None = None) -> BlockResult:
    repeat = Repeat(each[0].experiment, 100.0, 100.0) if each else None
    return BlockResult(device_facts(), {}, each, failures, repeat, whole)


def told(path: Path, found: Sequence[TimesBlock], *given: tuple[Answer, ...] | DriverLost, study: Study = STUDY) -> MeasuredTimes:
    runner = Answered(study, OnGpu(device_facts()), ON_GPU, 1, None, given)
    with RecordFile(path) as target:
        report = measure(runner, found, target, tool="megasolve 0.1.0", progress=lambda _: None)
    return measured_times(study, MeasuringWishes(path), sum(len(block.wanted) for block in found), report)


def one_block(*budgets: int) -> tuple[TimesBlock, ...]:
    return blocks(STUDY, [wanted_of(STUDY, "L", budget_ctas=budget, derived_ps=2_000_000) for budget in budgets])


def of(budget_ctas: int) -> Experiment:
    return Experiment("L", "L", budget_ctas)


def test_what_is_accepted_is_written_and_what_is_not_is_told_with_its_rule(tmp_path: Path) -> None:
    hot = samples(STEADY, after=replace(CALM, reasons=int(ClockReason.SOFTWARE_THERMAL)))
    failure = Failure(of(132), "132 CTAs do not fit", "a log")
    answer = result(timed(samples(STEADY), of(44)), timed(hot, of(88)), failures=(failure,))
    facts = told(tmp_path / "records.jsonl", one_block(44, 88, 132), (answer,))
    (written,) = facts.written
    assert (written.budget_ctas, written.time_us, written.derived_us, written.overhead_us) == (44, 96.0, 2.0, 4.0)
    (refused,) = facts.not_accepted
    assert (refused.budget_ctas, [rule.rule for rule in refused.rules]) == (88, ["throttle"])
    assert refused.samples == str(tmp_path / "refused.jsonl")
    head, kept = map(json.loads, (tmp_path / "refused.jsonl").read_text().splitlines())
    assert head == {"megasolve": "refused/v1"}
    assert (kept["group"], kept["entry"], kept["budget_ctas"], kept["raw_us"], kept["fake"]) == ("L", "L", 88, list(STEADY), False)
    assert [rule["rule"] for rule in kept["rules"]] == ["throttle"]
    (failed,) = facts.failed
    assert (failed.budget_ctas, failed.because, failed.detail) == (132, "132 CTAs do not fit", "a log")
    assert not facts.complete
    assert [record.budget_ctas for record in records_in(tmp_path / "records.jsonl")] == [44]


def test_a_block_that_drifts_gives_no_record_at_all(tmp_path: Path) -> None:
    answer = replace(result(timed(samples(STEADY), of(44)), timed(samples(STEADY), of(88))), repeat=Repeat(of(88), 100.0, 110.0))
    facts = told(tmp_path / "records.jsonl", one_block(44, 88), (answer,))
    assert facts.written == ()
    assert [[rule.rule for rule in one.rules] for one in facts.not_accepted] == [["drift"], ["drift"]]
    assert records_in(tmp_path / "records.jsonl") == ()


def test_a_driver_that_is_lost_stops_the_run_and_what_was_finished_stays(tmp_path: Path) -> None:
    found = (*one_block(44), *blocks(STUDY, [wanted_of(STUDY, "C")]))
    facts = told(tmp_path / "records.jsonl", found, (result(timed(samples(STEADY), of(44))),), DriverLost("the driver hangs"))
    assert facts.stopped == "the driver hangs"
    assert not facts.complete
    assert len(records_in(tmp_path / "records.jsonl")) == 1


def test_the_sum_of_kernels_stands_beside_all_of_them_in_one_graph_once_each_was_timed(tmp_path: Path) -> None:
    found = blocks(STUDY, [wanted_of(STUDY, entry, budget_ctas=132) for entry in KERNELS])
    each = [timed(samples(STEADY), Experiment("L", entry, 132)) for entry in KERNELS]
    whole = WholeTime(kernels=3, call_us=280.0, empty_us=6.0)
    facts = told(tmp_path / "all.jsonl", found, (result(*each, whole=whole),))
    assert facts.complete
    (sums,) = facts.whole_calls
    assert (sums.launches, sums.together_us, sums.one_by_one_us, sums.empty_launch_us) == (3, 280.0, 288.0, 2.0)
    assert told(tmp_path / "some.jsonl", found, (result(*each[:2], whole=whole),)).whole_calls == ()


def test_nothing_to_do_starts_nothing(tmp_path: Path) -> None:
    facts = told(tmp_path / "records.jsonl", ())
    assert (facts.written, facts.not_accepted, facts.failed, facts.whole_calls) == ((), (), (), ())
    assert (facts.costs, facts.stopped, facts.complete) == (None, None, True)


@pytest.mark.parametrize("budget_ctas", [44, 88])
def test_a_record_is_in_the_file_before_the_next_block_is_asked(tmp_path: Path, budget_ctas: int) -> None:
    path = tmp_path / "records.jsonl"

    @dataclass(frozen=True, slots=True)
    class Looking(Answered):
        def answers(self, found: Sequence[TimesBlock]) -> Iterator[tuple[TimesBlock, tuple[Answer, ...]]]:
            yield found[0], (result(timed(samples(STEADY), of(budget_ctas))),)
            assert [record.budget_ctas for record in records_in(path)] == [budget_ctas]

    runner = Looking(STUDY, OnGpu(device_facts()), ON_GPU, 1)
    with RecordFile(path) as target:
        assert measure(runner, one_block(44, 88), target, tool="megasolve", progress=lambda _: None).stopped is None
