"""What is asked of which child, how much that is, and what a file makes unnecessary."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from megasolve.contracts import load_study
from megasolve.gpu.compile.manifest import sources_sha256
from megasolve.gpu.errors import GpuError
from megasolve.gpu.experiments.times.estimate import estimates
from megasolve.gpu.experiments.times.measuring import refuse_mixture, unheld
from megasolve.gpu.experiments.times.plan import blocks
from megasolve.gpu.experiments.times.record_file import RecordFile
from megasolve.gpu.harness.counts import ON_CPU, ON_GPU
from megasolve.gpu.harness.files.lines_file import LinesFileRefused
from megasolve.gpu.harness.request import BLOCK_REQUEST, BlockRequest, Experiment
from megasolve.gpu.harness.wanted import experiment_of, smallest_budgets
from megasolve.simulate.plan.wanted import WantedTime
from tests.support.disk.record_writers import record
from tests.support.kernels.streamlet import shipped
from tests.support.standin.timed import wanted_of

STUDY = shipped()


def wanted(entry: str, budget_ctas: int, batch: int = 1) -> WantedTime:
    return wanted_of(STUDY, entry, budget_ctas=budget_ctas, batch=batch, derived_ps=40_000_000, tiles=100)


def keyed(one: WantedTime, **changes: Any) -> WantedTime:
    """Return *one* with another key."""
    return replace(one, key=replace(one.key, **changes))


ASKED = (
    *(wanted("B_L", budget) for budget in (132, 88)),
    wanted("B_L", 44, 4),
    *(wanted(entry, 132) for entry in ("L_norm_f", "B_qkv", "L_sample")),
    keyed(wanted("B_L", 88), group="L"),
)


def test_times_of_one_entry_or_of_the_kernels_of_one_group_at_one_batch_share_a_child() -> None:
    found = {str(block): [str(experiment_of(one)) for one in block.wanted] for block in blocks(STUDY, ASKED)}
    assert found == {
        "entry 'B_L', batch 1": ["B in 'B_L' on 132 CTAs", "B in 'B_L' on 88 CTAs", "L in 'B_L' on 88 CTAs"],
        "entry 'B_L', batch 4": ["B in 'B_L' on 44 CTAs"],
        "kernels of L (kernels), batch 1": ["L in 'L_norm_f' on 132 CTAs", "L in 'L_sample' on 132 CTAs"],
        "kernels of B (kernels), batch 1": ["B in 'B_qkv' on 132 CTAs"],
    }


def test_a_spec_that_the_kernels_do_not_make_is_refused_by_name() -> None:
    study, _ = load_study(Path(STUDY.spec.file).with_name("llama_1b.yaml"))
    assert study is not None
    with pytest.raises(GpuError, match="spec 'llama_1b' has the groups P"):
        blocks(study, [wanted_of(study, study.contracts[0].value.entry)])


def test_the_smallest_budget_is_that_of_each_entry() -> None:
    assert [(one.key.entry, one.key.budget_ctas) for one in smallest_budgets(ASKED)] == [
        ("B_L", 44),
        ("L_norm_f", 132),
        ("B_qkv", 132),
        ("L_sample", 132),
    ]


def test_what_is_compiled_for_one_batch_is_not_compiled_again() -> None:
    first, second, *_ = estimates(blocks(STUDY, [wanted("B_L", 44), wanted("B_L", 44, 4)]), ON_GPU, on_cpu=False)
    assert first.seconds - second.seconds == pytest.approx(7.0)


def test_a_short_call_is_launched_more_often() -> None:
    long, short = (replace(wanted("B_L", 44), derived_ps=time) for time in (40_000_000, 4_000_000))
    launches = [estimates(blocks(STUDY, [one]), ON_GPU, on_cpu=False)[0].launches for one in (long, short)]
    # Warm-ups, two looks, fifty samples with their twins, all of it twice for the drift, and the qualification.
    assert launches[0] == 1 + 2 * (10 + 2 + 2 * 50)
    assert launches[1] > 50 * launches[0]
    assert estimates(blocks(STUDY, [short]), replace(ON_GPU, cache="cold"), on_cpu=False)[0].launches == launches[0]


def test_more_tiles_take_longer_on_the_cpu() -> None:
    few, many = (replace(wanted("B_L", 44), tiles=tiles) for tiles in (100, 1000))
    seconds = [estimates(blocks(STUDY, [one]), ON_CPU, on_cpu=True)[0].seconds for one in (few, many)]
    assert seconds[1] > 2 * seconds[0]


def test_what_a_file_holds_of_the_kernels_as_they_are_is_not_measured_again() -> None:
    one = wanted_of(STUDY, "L", batch=4)
    current, old = (record(4, source=source).model_copy(update={"context": one.key.context}) for source in (sources_sha256(), "b" * 64))
    assert unheld(STUDY, [one], [current]) == ()
    assert unheld(STUDY, [one], [old]) == (one,)
    assert unheld(STUDY, [one], [record(4, source=sources_sha256())]) == (one,)
    assert unheld(STUDY, [keyed(one, batch=1)], [current]) == (keyed(one, batch=1),)
    assert unheld(STUDY, [keyed(one, shapes={"frames": 2})], [current]) == (keyed(one, shapes={"frames": 2}),)


def test_a_record_of_an_earlier_context_is_replaced_and_one_of_another_key_is_not() -> None:
    one = wanted_of(STUDY, "L", batch=4)
    earlier = record(4, threads=128)
    assert not one.is_served_by(earlier)
    assert one.replaces(earlier)
    assert not keyed(one, budget_ctas=88).replaces(earlier)


@pytest.mark.parametrize("fake", [True, False])
def test_records_of_a_gpu_and_of_the_stand_in_never_share_a_file(tmp_path: Path, fake: bool) -> None:
    with RecordFile(tmp_path / "records.jsonl") as held:
        refuse_mixture(held, fake=not fake)
        held.add(record(1, fake=fake), lambda _: False)
        refuse_mixture(held, fake=fake)
        with pytest.raises(LinesFileRefused, match="which never mix"):
            refuse_mixture(held, fake=not fake)


def test_a_request_survives_its_way_through_json() -> None:
    request = BlockRequest("a.yaml", None, 0, "megakernel", 4, (Experiment("L", "L", 44), Experiment("L", "L", 88)), ON_CPU, 7)
    assert BLOCK_REQUEST.validate_python(BLOCK_REQUEST.dump_python(request, mode="json")) == request
