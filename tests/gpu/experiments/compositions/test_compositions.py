"""Whole candidates on the stand-in: qualified, timed in balanced blocks, and what goes wrong costs one candidate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from megasolve.contracts import MeasuredRun, Study, check_paths, load_spec
from megasolve.gpu.experiments.compositions import launch_plan
from megasolve.gpu.experiments.compositions.device_candidate import DeviceCandidate
from megasolve.gpu.experiments.compositions.measuring import CompositionRunner
from megasolve.gpu.experiments.compositions.orders import balanced_orders
from megasolve.gpu.harness.files.measured_file import MeasuredFile
from megasolve.gpu.programs.group_calls import Call, serial_calls
from megasolve.gpu.workloads.streamlet.trials import trial
from tests.support.command import megasolve
from tests.support.disk.small_specs import CONSUMER_CTAS, PRODUCER_CTAS, SMS, write_small_spec
from tests.support.kernels.streamlet import compiled, launch_pool_on_cpu, shared_words, small, split_streams
from tests.support.planning.runnable import runnable
from tests.support.standin.cpu_device import CpuResult
from tests.support.standin.played_places import FEW, FaultyPlace
from tests.support.toolchain import needs_host_compiler, needs_stand_in

SPLIT = f"{PRODUCER_CTAS}/{CONSUMER_CTAS}"
MONOLITH, APART = "m:P+B+L+C@serial", "m:P/m:B+L/m:C@serial"
FIXED, DYNAMIC, POOLS = f"m:P/m:B+L/m:C@fixed:{SPLIT}", f"m:P/m:B+L/m:C@dynamic:{SPLIT}", f"m:P+B+L+C@fixed:{SPLIT}"
CONVENTIONAL, BESIDE = "c:P/c:B/c:L/c:C@serial", f"c:P/m:B+L/m:C@fixed:{SPLIT}"
BLOCKS = 6


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Streamlet at small sizes, on disk."""
    return load_spec(write_small_spec(tmp_path_factory.mktemp("small")))


def runs(study: Study, place: FaultyPlace, *ids: str, blocks: int = 1) -> dict[str, MeasuredRun]:
    """Return the run of each candidate at batch 1 by its id."""
    runner = CompositionRunner(study, place, FEW, blocks, 7, "a test")
    return dict(zip(ids, runner.runs([runnable(study, one) for one in ids], 1), strict=True))


def samples(run: MeasuredRun) -> tuple[int, ...]:
    assert run.composition is not None
    return run.composition.samples_ps


@pytest.fixture(scope="module")
def measured(study: Study) -> Mapping[str, MeasuredRun]:
    """One candidate of each kind, in six blocks."""
    return runs(study, FaultyPlace(study.device.value), MONOLITH, APART, FIXED, DYNAMIC, POOLS, CONVENTIONAL, blocks=BLOCKS)


@needs_stand_in
def test_every_kind_of_candidate_qualifies_and_has_a_sample_from_each_block(measured: Mapping[str, MeasuredRun]) -> None:
    assert {name: run.because for name, run in measured.items() if not run.qualified} == {}
    assert all(run.relative_l2 is not None and run.relative_l2 < 1e-4 for run in measured.values())
    assert {len(samples(run)) for run in measured.values()} == {BLOCKS}


@needs_stand_in
def test_every_candidate_had_every_place_once(measured: Mapping[str, MeasuredRun]) -> None:
    places = [run.composition.places for run in measured.values() if run.composition is not None]
    assert [sorted(one) for one in places] == [list(range(1, 7))] * 6
    assert len(set(places)) == 6


@needs_stand_in
def test_a_run_says_its_entries_and_that_it_was_no_gpu(measured: Mapping[str, MeasuredRun]) -> None:
    run = measured[DYNAMIC]
    assert run.composition is not None
    assert run.composition.entries == (("P",), ("B_L",), ("C",))
    assert run.provenance.fake
    assert run.provenance.device_sms == SMS


@needs_stand_in
def test_the_sides_of_a_split_were_there_together(measured: Mapping[str, MeasuredRun]) -> None:
    for candidate in (FIXED, DYNAMIC):
        (note,) = measured[candidate].notes
        assert note.startswith("its sides were there together for ")
    assert measured[APART].notes == measured[POOLS].notes == ()


@needs_stand_in
def test_fewer_launches_take_less_time_on_a_clock_that_knows_launches(measured: Mapping[str, MeasuredRun]) -> None:
    assert max(samples(measured[MONOLITH])) < min(samples(measured[APART])) < min(samples(measured[CONVENTIONAL]))


@needs_stand_in
def test_what_the_device_cannot_hold_is_one_line_and_the_rest_goes_on(study: Study) -> None:
    fewer = FaultyPlace(study.device.value.model_copy(update={"sms": SMS - 1}))
    found = runs(study, fewer, MONOLITH, BESIDE, CONVENTIONAL)
    assert (found[MONOLITH].because or "").startswith("ms_P_B_L_C: 6 CTAs must be resident at once, and STAND-IN small holds 5")
    assert found[BESIDE].because == "its sides are not there at once: 4 + 2 = 6 SMs > 5 on small"
    assert found[CONVENTIONAL].qualified


@needs_stand_in
def test_a_kernel_that_computes_something_else_costs_the_candidates_that_run_it(study: Study) -> None:
    wrong = (("C", "elementwise.h", "tanhf(left)", "0.5f * tanhf(left)"),)
    found = runs(study, FaultyPlace(study.device.value, wrong=wrong), APART, MONOLITH)
    assert found[APART].because == "disagrees with the reference: samples: relative L2 distance 0.5 > 0.01 to the reference"
    assert samples(found[APART]) == ()
    assert found[MONOLITH].qualified


@needs_stand_in
def test_a_kernel_that_fails_costs_its_candidate_and_no_other(study: Study) -> None:
    found = runs(study, FaultyPlace(study.device.value, faults=("cuLaunchCooperativeKernel 719",)), MONOLITH, CONVENTIONAL)
    assert (found[MONOLITH].because or "").startswith("cuLaunchCooperativeKernel: CUDA_ERROR_LAUNCH_FAILED (719)")
    assert found[CONVENTIONAL].qualified


@needs_stand_in
def test_a_megakernel_that_is_priced_as_a_graph_is_launched_as_one(tmp_path: Path) -> None:
    spec = write_small_spec(tmp_path)
    contract = tmp_path / "streamlet/contracts/P_B_L_C.yaml"
    text = contract.read_text(encoding="utf-8")
    contract.write_text(text.replace("kind: cooperative", "kind: graph, gap_us: 1"), encoding="utf-8")
    study = load_spec(spec)
    assert runs(study, FaultyPlace(study.device.value), MONOLITH)[MONOLITH].qualified
    failing = runs(study, FaultyPlace(study.device.value, faults=("cuGraphLaunch 719",)), MONOLITH)
    assert (failing[MONOLITH].because or "").startswith("cuGraphLaunch: CUDA_ERROR_LAUNCH_FAILED (719)")


@needs_stand_in
def test_on_two_streams_the_publication_waits_for_no_load(tmp_path: Path) -> None:
    spec = write_small_spec(tmp_path)
    # Two steps more than the first publication needs: those that the producers go on with.
    spec.write_text(spec.read_text(encoding="utf-8").replace("steps: 6", "steps: 7"), encoding="utf-8")
    study = load_spec(spec)
    apart, beside = CONVENTIONAL, f"m:P/m:B+L/c:C@streams:{PRODUCER_CTAS}/c"
    found = runs(study, FaultyPlace(study.device.value), apart, "c:P/c:B/c:L/c:C@streams", beside)
    assert {name: run.because for name, run in found.items() if not run.qualified} == {}
    # The chunk of conventional kernels in serial order stands behind step h; beside it nothing waits for it.
    assert samples(found["c:P/c:B/c:L/c:C@streams"])[0] < samples(found[apart])[0]


class Mark:
    """An event at a time."""

    def __init__(self, us: float) -> None:
        self.us = us

    def us_since(self, first: Mark) -> float:
        return self.us - first.us


@pytest.mark.parametrize(("chunk_us", "note"), [(8.0, None), (12.5, "to S5, and ended 2.500 us before the chunk did")])
def test_a_chunk_that_outlasts_what_the_producers_go_on_with_is_noted(chunk_us: float, note: str | None) -> None:
    def launch(lane: int, end_us: float, *, is_load: bool = False) -> SimpleNamespace:
        return SimpleNamespace(planned=SimpleNamespace(lane=lane, is_load=is_load, calls=(Call("S", 5),)), ended=Mark(end_us))

    design: Any = object.__new__(DeviceCandidate)
    design._launches = (launch(launch_plan.MAIN, 5.0), launch(launch_plan.BESIDE, chunk_us), launch(launch_plan.MAIN, 10.0, is_load=True))
    assert design.load_note() == (None if note is None else f"the producers went on behind the publication's last step {note}")


@needs_stand_in
def test_what_the_producers_go_on_with_needs_room(study: Study) -> None:
    name = "c:P/c:B/c:L/c:C@streams"
    because = runs(study, FaultyPlace(study.device.value), name)[name].because
    assert because is not None
    assert because.endswith("call B7: the model has room for 6 of 'B'; raise the symbol 'steps'")


@needs_stand_in
def test_a_child_that_dies_costs_the_candidate_that_it_was_at(study: Study) -> None:
    found = runs(study, FaultyPlace(study.device.value, faults=("cuLaunchCooperativeKernel crash",)), MONOLITH)
    assert (found[MONOLITH].because or "").startswith("died of signal SIGSEGV")
    assert found[MONOLITH].provenance.fake


def test_a_split_is_refused_where_kernels_run_one_after_the_other(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "1")
    found = runs(study, FaultyPlace(study.device.value), DYNAMIC)
    assert (found[DYNAMIC].because or "").startswith("CUDA_LAUNCH_BLOCKING is set: each launch waits for its end")


@needs_host_compiler
@pytest.mark.parametrize(("consumer_first", "result"), [(True, CpuResult.DEADLOCK), (False, CpuResult.DONE)])
def test_a_consumer_that_takes_every_slot_before_its_producer_waits_for_ever(consumer_first: bool, result: CpuResult) -> None:
    model, program = compiled(small(), "P_B_L_C", 1, split_streams(small().spec.value))
    calls = serial_calls(small().spec.value)
    arenas, words = trial(model, calls[1:], 7, calls[:1]).before.copied(), shared_words(program)
    for index in program.common:
        for counter in program.instruction(index).signals:
            words[counter] += 1
    pools: Sequence[tuple[range, int]] = [(program.y, 3), (program.x, 5)] if consumer_first else [(program.x, 5), (program.y, 3)]
    devices = [launch_pool_on_cpu(arenas, program, words, pool, ctas=ctas, stream=stream) for stream, (pool, ctas) in enumerate(pools)]
    outcome = devices[0].run(slots=3, seed=1)
    assert outcome.result is result
    if consumer_first:
        assert "3 of 3 CTAs resident" in outcome.explanation
        assert "0 of 5 CTAs resident" in outcome.explanation


@pytest.mark.parametrize(("count", "blocks"), [(1, 3), (2, 4), (5, 10), (7, 4), (0, 5)])
def test_an_order_holds_everyone_once_and_places_are_balanced(count: int, blocks: int) -> None:
    orders = balanced_orders(count, blocks, seed=3)
    assert all(sorted(order) == list(range(count)) for order in orders)
    assert len(orders) == (blocks if count else 0)
    for first in range(0, blocks - count + 1, max(count, 1)):
        for place in range(count):
            assert sorted(order[place] for order in orders[first : first + count]) == list(range(count))


def test_equal_seeds_give_equal_orders_and_others_other_ones() -> None:
    assert balanced_orders(6, 12, seed=1) == balanced_orders(6, 12, seed=1) != balanced_orders(6, 12, seed=2)


@needs_stand_in
def test_check_knows_the_runs_of_a_stand_in_and_no_plan_takes_them_for_records(measured: Mapping[str, MeasuredRun], tmp_path: Path) -> None:
    spec, target = write_small_spec(tmp_path), tmp_path / "runs.jsonl"
    with MeasuredFile(target, fake=True) as file:
        for run in measured.values():
            file.add(run)
    found = check_paths([target]).findings
    assert {finding.rule.code for finding in found} == {"MEA-06"}
    assert sum(finding.count for finding in found) == len(measured)
    spec.write_text(spec.read_text().replace("records: []", "records: [runs.jsonl]"))
    refused = megasolve("solve", str(spec), "--allow-simulated-hardware")
    assert refused.exit_code == 2
    assert f"{target} is a measured/v1 file, expected records/v1" in refused.stderr
