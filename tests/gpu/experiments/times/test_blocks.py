"""Whole blocks on the stand-in: what is timed, and what each thing that goes wrong costs and says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from megasolve.contracts import Contract, Study, load_study
from megasolve.gpu.experiments.times.plan import TimesBlock, blocks
from megasolve.gpu.experiments.times.running import Runner
from megasolve.gpu.harness.counts import ON_CPU, Counts
from megasolve.gpu.harness.places.places import OnCpu
from megasolve.gpu.harness.protocol import drawn_order
from megasolve.gpu.harness.results import BlockResult, Failure
from tests.support.standin.measuring import write_small
from tests.support.standin.played_places import FaultyPlace
from tests.support.standin.timed import wanted_of
from tests.support.toolchain import needs_host_compiler

pytestmark = needs_host_compiler

FEW = replace(ON_CPU, samples=2, wait_s=120.0, kernel_wait_ns=10**8)
KERNELS = ("L_norm_f", "L_logits", "L_sample")


@dataclass(frozen=True, slots=True)
class ImpatientPlace(FaultyPlace):
    """A place whose children may not take long."""

    def deadline_s(self, experiments: int) -> float:
        """Return a few seconds."""
        return 1.0 + experiments


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """Streamlet at small sizes, with an entry of the head on two or three CTAs."""
    return loaded(tmp_path_factory.mktemp("small"), budgets="[3, 2]")


def loaded(folder: Path, *, budgets: str) -> Study:
    study, _ = load_study(write_small(folder, budgets=budgets))
    assert study is not None
    return study


def persistent(study: Study, *budgets: int) -> TimesBlock:
    (block,) = blocks(study, [wanted_of(study, "L", budget_ctas=budget) for budget in budgets])
    return block


def answers(
    study: Study, block: TimesBlock, *, place: OnCpu | None = None, counts: Counts = FEW, seed: int = 3
) -> tuple[BlockResult | Failure, ...]:
    return Runner(study, place or OnCpu(study.device.value), counts, seed).answer(block)


def failures(found: Sequence[BlockResult | Failure]) -> dict[int, str]:
    """Return the messages of the experiments that failed, by their CTAs."""
    told = [one for answer in found for one in (answer.failures if isinstance(answer, BlockResult) else (answer,))]
    assert len({one.experiment for one in told}) == len(told)
    return {one.experiment.budget_ctas: one.message for one in told}


def faulty(study: Study, *faults: str, wrong: tuple[tuple[str, str, str, str], ...] = ()) -> FaultyPlace:
    return FaultyPlace(study.device.value, faults=faults, wrong=wrong)


def test_each_budget_is_qualified_and_timed_and_the_first_is_timed_again(study: Study) -> None:
    (result,) = answers(study, persistent(study, 3, 2))
    assert isinstance(result, BlockResult)
    assert result.device.fake
    assert sorted(one.experiment.budget_ctas for one in result.timed) == [2, 3]
    for one in result.timed:
        assert one.relative_l2 < 1e-3
        assert one.launch.grid_ctas == one.experiment.budget_ctas
        assert (one.launch.registers, one.launch.shared_bytes, one.launch.cooperative) == (197, 122880, True)
        assert one.symbol == "ms_L"
        # Shorter than 20 us, so a sample is a graph of two launches.
        assert one.samples.calls == 2
        assert len(one.samples.raw_us) == len(one.samples.empty_us) == 2
        assert all(time_us > 0 for time_us in one.samples.call_us)
    assert result.repeat is not None
    assert result.repeat.experiment == result.timed[0].experiment
    assert set(result.versions) == {"driver", "cuda-bindings", "nvrtc", "python"}


def test_the_order_is_drawn_from_the_seed() -> None:
    orders = [tuple(drawn_order("abc", seed)) for seed in range(50)]
    assert orders == [tuple(drawn_order("abc", seed)) for seed in range(50)]
    assert len(set(orders)) == 6


def test_kernels_are_qualified_together_timed_apart_and_compared_with_all_in_one_graph(study: Study) -> None:
    (block,) = blocks(study, [wanted_of(study, entry, budget_ctas=132) for entry in KERNELS])
    (result,) = answers(study, block)
    assert isinstance(result, BlockResult)
    assert {one.experiment.entry: one.symbol for one in result.timed} == {
        "L_norm_f": "k_norm",
        "L_logits": "k_matvec",
        "L_sample": "k_sampling",
    }
    assert len({one.relative_l2 for one in result.timed}) == 1
    assert result.whole is not None
    assert result.whole.kernels == 3
    assert result.whole.call_us == pytest.approx(sum(one.samples.median_call_us for one in result.timed), rel=0.25)
    assert result.whole.empty_us > 0


def test_cold_caches_are_overwritten_before_each_launch_so_there_is_one_in_a_sample(study: Study) -> None:
    (result,) = answers(study, persistent(study, 2), counts=replace(FEW, cache="cold"))
    assert isinstance(result, BlockResult)
    assert [one.samples.calls for one in result.timed] == [1]


def test_a_budget_that_the_device_does_not_hold_is_refused_and_the_others_are_timed(tmp_path: Path) -> None:
    wide = loaded(tmp_path, budgets="[133, 2]")
    found = answers(wide, persistent(wide, 133, 2))
    assert "133 CTAs must be resident at once, and STAND-IN h200 holds 132 (1 per SM x 132 SMs)" in failures(found)[133]
    assert [one.experiment.budget_ctas for answer in found if isinstance(answer, BlockResult) for one in answer.timed] == [2]


def test_a_kernel_that_computes_something_else_gives_no_time(study: Study) -> None:
    wrong = (("L", "norm.h", "1e-5f", "1e-1f"),)
    found = answers(study, persistent(study, 2), place=faulty(study, wrong=wrong))
    (text,) = failures(found).values()
    assert text.startswith("L6 in 'L' on 2 CTAs disagrees with the reference: L.last: relative L2 distance")


def test_a_kernel_that_never_signals_gives_up_and_says_who_waits(study: Study) -> None:
    wrong = (("L", "interpreter.cu", "if (warp_index() == 0) signal(program, current);", ""),)
    found = answers(study, persistent(study, 2), place=faulty(study, wrong=wrong))
    (text,) = failures(found).values()
    assert text.startswith("L6 in 'L' on 2 CTAs gave up: CTA ")
    assert "waited too long at instruction" in text
    assert "counter 0 at 0 of 1" in text


def test_a_kernel_that_signals_twice_is_found_by_its_counters(study: Study) -> None:
    wrong = (("L", "interpreter.cu", "program.counters + signals[i], 1);", "program.counters + signals[i], 2);"),)
    found = answers(study, persistent(study, 2), place=faulty(study, wrong=wrong))
    (text,) = failures(found).values()
    assert "counters are wrong: counter 0 is 2, and its program signals it 1 times" in text


def test_a_kernel_that_does_not_stop_when_told_to_is_reported_although_the_driver_waits_for_it(study: Study) -> None:
    looks = "if (seen >= wanted) return true;\n        if (spins % kSpinsPerLook == 0) {"
    deaf = (("L", "interpreter.cu", looks, "if (wanted == 0) return true;\n        if (wanted == 0) {"),)
    found = answers(study, persistent(study, 3, 2), place=faulty(study, wrong=deaf), counts=replace(FEW, wait_s=0.3, stop_s=0.3))
    texts = failures(found)
    assert set(texts) == {2, 3}
    assert all(text.endswith("does not stop when told to: its process has to be killed") for text in texts.values())


def test_too_little_memory_is_told_with_what_is_needed(study: Study) -> None:
    device = study.device.value.model_copy(update={"hbm_bytes": 20_000})
    texts = failures(answers(study, persistent(study, 3, 2), place=OnCpu(device)))
    assert set(texts) == {2, 3}
    assert all("bytes of device memory, and 20,000 are free" in text for text in texts.values())


def changed(study: Study, **changes: object) -> Study:
    """Return *study* with its entry L as *changes* say."""
    contracts = tuple(
        replace(document, value=document.value.model_copy(update=changes)) if document.value.entry == "L" else document
        for document in study.contracts
    )
    return replace(study, contracts=contracts)


def test_a_compiler_that_refuses_is_quoted_and_nothing_is_run(study: Study) -> None:
    contract: Contract = next(document.value for document in study.contracts if document.value.entry == "L")
    assert contract.build is not None
    odd = changed(study, build=contract.build.model_copy(update={"flags": ("--no-such-option",)}))
    (failure,) = answers(odd, persistent(odd, 2))
    assert isinstance(failure, Failure)
    assert "interpreter.cu does not compile for sm_90a" in failure.message
    assert "no-such-option" in failure.detail


@pytest.mark.parametrize(
    ("device", "repair"),
    [
        (None, "correct launch.registers"),
        ("h100_sxm", "that is the figure of h200: copy the spec and its folder, name h100_sxm as the device there"),
    ],
)
def test_a_contract_that_says_otherwise_than_the_compiler_gets_no_time(tmp_path: Path, device: str | None, repair: str) -> None:
    file = write_small(tmp_path, budgets="[2]")
    contract = tmp_path / "contracts/L.yaml"
    contract.write_text(contract.read_text().replace("registers: 197", "registers: 196"))
    odd, _ = load_study(file, device)
    assert odd is not None
    texts = failures(Runner(odd, OnCpu(odd.device.value), FEW, 3, device).answer(persistent(odd, 2)))
    assert texts[2].startswith(f"entry 'L' states 196 registers a thread, and nvrtc 13.0 gives 197 for sm_90a; {repair}")


def test_a_kernel_that_fails_ends_its_context_and_each_experiment_is_asked_once_more(study: Study) -> None:
    texts = failures(answers(study, persistent(study, 3, 2), place=faulty(study, "cuLaunchCooperativeKernel 719")))
    assert set(texts) == {2, 3}
    assert all("CUDA_ERROR_LAUNCH_FAILED (719)" in text for text in texts.values())


def test_a_child_that_dies_costs_only_what_killed_it(study: Study) -> None:
    texts = failures(answers(study, persistent(study, 3, 2), place=faulty(study, "cuEventElapsedTime crash")))
    assert set(texts) == {2, 3}
    assert all("died of signal SIGSEGV" in text for text in texts.values())


def kept(found: tuple[BlockResult | Failure, ...]) -> tuple[set[int], set[int]]:
    """Return the budgets that were timed, and those that failed."""
    results = [one for one in found if isinstance(one, BlockResult)]
    failures = [one for one in found if isinstance(one, Failure)] + [failure for one in results for failure in one.failures]
    return {one.experiment.budget_ctas for result in results for one in result.timed}, {one.experiment.budget_ctas for one in failures}


def test_what_a_child_finished_survives_its_death(study: Study) -> None:
    # The first experiment reads eight times of events, so that the child dies in the second one, and both that are asked alone do later.
    assert kept(answers(study, persistent(study, 3, 2), place=faulty(study, "cuEventElapsedTime#11 crash"))) == ({2, 3}, set())


def test_what_a_block_finished_survives_the_loss_of_its_context(study: Study) -> None:
    timed_budgets, failed = kept(answers(study, persistent(study, 3, 2), place=faulty(study, "cuEventElapsedTime#11 719")))
    assert len(timed_budgets) == len(failed) == 1
    assert timed_budgets | failed == {2, 3}


def test_a_driver_that_hangs_is_left_at_the_deadline(study: Study) -> None:
    place = ImpatientPlace(study.device.value, faults=("cuEventElapsedTime hang",))
    assert failures(answers(study, persistent(study, 2), place=place)) == {2: "killed after 2 s"}
