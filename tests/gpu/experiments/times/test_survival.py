"""One noisy time and one lost child cost no more than themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from megasolve.contracts import Study, load_spec
from megasolve.gpu.children.child import TimedOut
from megasolve.gpu.experiments.times.journal import Journal, finished_in
from megasolve.gpu.experiments.times.plan import blocks
from megasolve.gpu.experiments.times.repeats import judged, repeated
from megasolve.gpu.experiments.times.running import DriverLost, Runner
from megasolve.gpu.harness.counts import ON_CPU
from megasolve.gpu.harness.places.places import OnCpu
from megasolve.gpu.harness.request import Experiment
from megasolve.gpu.harness.results import BlockResult, Repeat
from tests.support.standin.measuring import write_small
from tests.support.standin.timed import EXPERIMENT, device_facts, samples, timed, wanted_of

OTHER = Experiment("L", "L", 88)
STEADY = (100.0, 101.0, 100.5)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Streamlet at small sizes, on disk."""
    return load_spec(write_small(tmp_path_factory.mktemp("survival"), budgets="[3, 2]"))


def taken(*times_us: float) -> tuple[Repeat, int]:
    """Return the repeat of a time of 100 us that comes out so, and how often it was taken."""
    left: Iterator[float] = iter(times_us)
    found = repeated(EXPERIMENT, 100.0, lambda: next(left), 0.02)
    return found, len(times_us) - len(list(left))


def test_a_time_that_comes_out_as_it_had_is_taken_once() -> None:
    assert taken(101.0, 999.0, 999.0) == (Repeat(EXPERIMENT, 100.0, 101.0), 1)


@pytest.mark.parametrize("times_us", [(150.0, 100.0, 101.0), (150.0, 101.0, 100.0), (50.0, 100.0, 100.0)])
def test_one_noisy_time_at_the_end_decides_nothing(times_us: tuple[float, ...]) -> None:
    found, count = taken(*times_us)
    assert count == 3
    assert found.drift <= 0.02


def test_what_drifted_is_still_found() -> None:
    assert taken(110.0, 111.0, 109.0)[0] == Repeat(EXPERIMENT, 100.0, 110.0)


def test_a_noisy_first_time_judges_only_itself() -> None:
    noisy, calm = Repeat(EXPERIMENT, 100.0, 130.0), Repeat(OTHER, 50.0, 50.1)
    nearest, unsteady = judged([noisy, calm], 0.02)
    assert (nearest, unsteady) == (calm, (noisy,))
    result = BlockResult(device_facts(), {}, repeat=nearest, unsteady=unsteady)
    assert result.repeat_of(EXPERIMENT) == noisy
    assert result.repeat_of(OTHER) == calm


def test_a_block_in_which_nothing_came_out_as_it_had_drifted() -> None:
    far, near = Repeat(EXPERIMENT, 100.0, 130.0), Repeat(OTHER, 50.0, 60.0)
    assert judged([far, near], 0.02) == (near, ())
    assert judged([], 0.02) == (None, ())


def test_a_journal_gives_back_what_was_finished_without_a_line_that_broke_off(tmp_path: Path) -> None:
    path = tmp_path / "finished.jsonl"
    device, one = device_facts(), timed(samples(STEADY))
    assert finished_in(path) is None
    journal = Journal(str(path), device, {"driver": "13"})
    assert finished_in(path) is None
    journal.add(one)
    with path.open("a") as file:
        file.write('{"experiment": {"gro')
    assert finished_in(path) == BlockResult(device, {"driver": "13"}, timed=(one,))
    Journal(None, device, {}).add(one)


def test_what_a_block_finished_survives_a_driver_that_hangs(monkeypatch: pytest.MonkeyPatch, study: Study) -> None:
    (block,) = blocks(study, [wanted_of(study, "L", budget_ctas=budget) for budget in (3, 2)])
    finished = BlockResult(device_facts(), {}, timed=(timed(samples(STEADY), Experiment("L", "L", 3)),))
    monkeypatch.setattr(Runner, "_ask_block", lambda *_: (TimedOut(1.0, dead=False, stderr=""), finished))
    place = replace(OnCpu(study.device.value), counts=ON_CPU)
    found = Runner(study, place, ON_CPU, 1).answers([block])
    assert next(found) == (block, (finished,))
    with pytest.raises(DriverLost, match="the driver hangs"):
        next(found)
