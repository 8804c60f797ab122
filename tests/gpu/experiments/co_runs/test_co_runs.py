"""Co-runs on the stand-in: both sides meet before they begin, and what did not meet has no time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from megasolve.contracts import MeasuredRun, Study, load_spec
from megasolve.gpu.children.child import Finished
from megasolve.gpu.errors import GpuError
from megasolve.gpu.experiments.co_runs import co_run
from megasolve.gpu.experiments.co_runs.measuring import CoRunner
from megasolve.gpu.experiments.co_runs.rounds import NotBeside, SideRun, round_beside_us
from megasolve.gpu.experiments.co_runs.wanted import co_runs
from megasolve.gpu.harness.launching.qualification import Disqualified
from megasolve.gpu.harness.overlap import Serialized, require_overlap
from megasolve.gpu.standin.sanitizer import run_watched
from megasolve.gpu.workloads import ArrayComparison
from tests.support.disk.small_specs import CONSUMER_CTAS, PRODUCER_CTAS, SMS, write_small_spec
from tests.support.kernels.corun_races import meeting_library
from tests.support.standin.played_places import FEW, FaultyPlace
from tests.support.toolchain import needs_host_compiler, needs_stand_in

SAMPLES = 2


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Streamlet at small sizes, on disk."""
    return load_spec(write_small_spec(tmp_path_factory.mktemp("small")))


def run(study: Study, place: FaultyPlace, *, conventional: bool = False) -> MeasuredRun:
    """Return the co-run of the shipped split, beside the consumer's megakernel or its conventional kernels."""
    beside_megakernel, beside_kernels = co_runs(study, PRODUCER_CTAS, CONSUMER_CTAS)
    return CoRunner(study, place, FEW, SAMPLES, 3, "a test").run(beside_kernels if conventional else beside_megakernel, 1)


@needs_stand_in
def test_two_megakernels_meet_on_sms_of_their_own_and_have_times_alone_and_beside(study: Study) -> None:
    found = run(study, FaultyPlace(study.device.value))
    assert found.because is None
    ran = found.co_run
    assert ran is not None
    assert (ran.wanted_ctas, ran.met_ctas, ran.cooperative) == (SMS, SMS, True)
    assert sorted((*ran.producer.sms, *ran.consumer.sms)) == list(range(SMS))
    assert {len(times) for side in (ran.producer, ran.consumer) for times in (side.solo_ps, side.pair_ps)} == {SAMPLES}
    assert [sorted(ran.order[first : first + 3]) for first in (0, 3)] == [["consumer", "pair", "producer"]] * SAMPLES
    assert found.relative_l2 is not None
    assert found.relative_l2 < 1e-4


@needs_stand_in
def test_conventional_kernels_run_beside_a_producer_until_their_end_ends_it(study: Study) -> None:
    found = run(study, FaultyPlace(study.device.value), conventional=True)
    assert found.because is None
    ran = found.co_run
    assert ran is not None
    assert (ran.wanted_ctas, ran.met_ctas) == (PRODUCER_CTAS, PRODUCER_CTAS)
    assert ran.consumer.ctas is None
    assert ran.consumer.sms == ()
    assert ran.producer.slowdown is not None
    assert ran.consumer.slowdown is not None


@needs_stand_in
def test_sides_that_are_not_resident_together_have_no_times(study: Study) -> None:
    fewer = FaultyPlace(study.device.value.model_copy(update={"sms": SMS - 1}))
    found = run(study, fewer)
    assert not found.qualified
    assert found.because is not None
    assert found.because.startswith("not co-resident: ")
    assert found.because.endswith(" of 6 CTAs met within 0.1 s")
    assert found.co_run is not None
    assert (found.co_run.met_ctas or 0) < SMS
    assert found.co_run.producer.solo_ps == found.co_run.producer.pair_ps == found.co_run.consumer.pair_ps == ()


class PlayedPair:
    """Sides that only note which of them ran together; *failing* gives up when it is alone."""

    def __init__(self, failing: str | None = None) -> None:
        self.producer, self.consumer, self.failing = "producer", "consumer", failing
        self.ran: list[list[str]] = []

    def run(self, *turns: Any) -> None:
        self.ran.append([turn.side for turn in turns])
        if self.ran[-1] == [self.failing]:
            raise Disqualified("gave up: CTA 3 waited too long")


def qualify(played: PlayedPair) -> None:
    """Qualify *played* where whatever it computes is right."""
    arrays: Any = SimpleNamespace(load=lambda: None, compared=lambda: ArrayComparison((), 0.0))
    pair: Any = played
    co_run.qualify(arrays, pair)


def test_each_side_runs_alone_before_both_run_beside_each_other() -> None:
    pair = PlayedPair()
    qualify(pair)
    assert pair.ran == [["producer"], ["consumer"], ["producer", "consumer"]]


def test_a_side_that_fails_alone_is_named_and_never_runs_beside_the_other() -> None:
    pair = PlayedPair(failing="consumer")
    with pytest.raises(Disqualified, match=r"^the consumer alone gave up: CTA 3 waited too long$"):
        qualify(pair)
    assert pair.ran == [["producer"], ["consumer"]]


@needs_stand_in
def test_a_child_that_dies_leaves_a_reason_and_no_times(study: Study) -> None:
    found = run(study, FaultyPlace(study.device.value, faults=("cuModuleLoadData crash",)))
    assert (found.because or "").startswith("died of signal SIGSEGV")
    assert found.co_run is not None
    assert found.co_run.met_ctas == 0


def test_no_co_run_begins_where_kernels_run_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    require_overlap()
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "1")
    with pytest.raises(Serialized, match="unset it for co-run experiments"):
        require_overlap()


def test_a_split_is_run_beside_a_megakernel_and_beside_kernels(study: Study) -> None:
    wanted = co_runs(study, PRODUCER_CTAS, CONSUMER_CTAS)
    assert list(map(str, wanted)) == ["m:B+L on 4 CTAs beside m:C on 2", "m:B+L on 4 CTAs beside c:C on 2"]
    assert [one.meeting_ctas for one in wanted] == [6, 4]


def test_of_several_entries_the_ones_that_are_named_are_run(study: Study) -> None:
    first, _ = co_runs(study, PRODUCER_CTAS, CONSUMER_CTAS, entries=("B_L_128", "C"))
    assert first.producer.entries == ("B_L_128",)


@pytest.mark.parametrize(
    ("split", "entries", "message"),
    [
        ((4, 3), (), "a co-run of 4 and 3 CTAs, one on an SM; both are at least 1, and together at most the 6 SMs of small"),
        ((0, 2), (), "both are at least 1"),
        ((3, 2), (), "3 CTAs is no budget of entry 'B_L'; it runs with 6, 4, 2"),
        ((4, 2), ("P",), "no megakernel of P runs all producers without consumers; a co-run needs one"),
    ],
)
def test_a_split_that_cannot_be_run_is_refused_in_one_line(
    study: Study, split: tuple[int, int], entries: tuple[str, ...], message: str
) -> None:
    with pytest.raises(GpuError, match=message):
        co_runs(study, *split, entries=entries)


def test_the_time_of_a_round_is_that_of_rounds_wholly_beside_the_other_side() -> None:
    background = SideRun(1_000, (3_000, 5_000, 8_000, 11_000, 40_000), 5)
    foreground = SideRun(2_000, (10_500,), 4)
    assert foreground.round_us == 2.125
    assert round_beside_us(background, foreground) == pytest.approx((8_000 - 3_000) / 2 / 1e3)


def test_a_producer_that_ended_first_left_the_consumer_alone() -> None:
    with pytest.raises(NotBeside, match="ran out of rounds"):
        round_beside_us(SideRun(0, (1_000, 2_000), 2), SideRun(0, (2_500,), 1))


def test_a_producer_without_a_whole_round_beside_the_consumer_has_no_time() -> None:
    with pytest.raises(NotBeside, match="no whole round"):
        round_beside_us(SideRun(0, (10_000,), 1), SideRun(1_000, (9_000,), 4))


@needs_host_compiler
@pytest.mark.parametrize(("bug", "is_clean"), [("", True), ("MS_BUG_RELAXED", False)])
def test_the_meeting_and_the_rounds_order_all_that_they_must(bug: str, is_clean: bool) -> None:
    library = meeting_library(*filter(None, [bug]))
    watched = run_watched("tests.support.kernels.corun_races:run_rounds", {"library": str(library)}, deadline_s=60)
    assert isinstance(watched.result, Finished), watched.result
    assert (watched.races == ()) is is_clean
