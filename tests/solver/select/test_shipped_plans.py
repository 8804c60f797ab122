"""The shipped plans come out as their sources say (issue: must show; design, section 5)."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

from megasolve.contracts import PS_PER_MS, load_spec
from megasolve.report.explain.sides import sides_lines
from megasolve.simulate import Ablation
from megasolve.solver import BatchResult, solve
from megasolve.solver.select.told.notes import BEST_CASE
from tests.support.planning.answers import explained
from tests.support.planning.studies import SPECS

THREE = "m:P/m:B+L/m:C"
CONVENTIONAL = "c:P/c:B/c:L/c:C@serial"


@cache
def planned(name: str, ablation: Ablation = Ablation.FULL) -> dict[int, BatchResult]:
    return {result.batch: result for result in solve(load_spec(SPECS / f"{name}.yaml"), ablation=ablation).results}


def score_ms(batch: int, candidate: str) -> float:
    return float({row.id: row.score_ps for row in planned("nh_tts")[batch].ranking}[candidate]) / PS_PER_MS


def test_the_worked_example_overlaps() -> None:
    result = planned("worked_example")[32]
    scores = {row.id: row.score_ps for row in result.ranking}
    assert result.best == (f"{THREE}@dynamic:88/44",)
    assert scores == {
        f"{THREE}@dynamic:88/44": 28_200_000_000,
        f"{THREE}@serial": 30_100_000_000,
        f"{THREE}@fixed:88/44": 32_000_000_000,
    }


def test_everything_else_in_the_worked_example_is_excluded_for_entries_that_do_not_exist() -> None:
    result = planned("worked_example")[32]
    assert len(result.ranking) + len(result.excluded) == result.candidates == 63
    assert all({cause.rule.code for cause in row.causes} <= {"MEM-01", "MEM-02"} for row in result.excluded)


@pytest.mark.parametrize("ablation", [Ablation.ADDITIVE, Ablation.NO_OVERLAP])
def test_both_ablations_choose_serial_in_the_worked_example(ablation: Ablation) -> None:
    assert planned("worked_example", ablation)[32].best == (f"{THREE}@serial",)


def test_eight_equal_partitions_score_equal_and_all_stand_in_best() -> None:
    result = planned("equal_partitions")[32]
    assert (result.covers, result.candidates) == (54, 54)
    assert len(result.best) == 8
    assert all(name.endswith("@serial") and "c:" not in name for name in result.best)
    assert {row.score_ps for row in result.ranking} == {37_067_000_000}
    assert [row.id for row in result.ranking] == list(result.best)
    assert {row.same_as for row in result.ranking} == {None}


@pytest.mark.parametrize("batch", [1, 32, 64])
def test_every_candidate_of_nh_tts_is_ranked(batch: int) -> None:
    result = planned("nh_tts")[batch]
    assert (result.covers, result.candidates, len(result.ranking), result.excluded) == (54, 81, 81, ())


@pytest.mark.parametrize(("batch", "winner"), [(1, f"{THREE}@serial"), (32, f"{THREE}@dynamic:88/44"), (64, f"{THREE}@dynamic:88/44")])
def test_nh_tts_is_won_by_three_megakernels(batch: int, winner: str) -> None:
    assert planned("nh_tts")[batch].best == (winner,)


def test_nh_tts_at_32_publishes_at_42_52_ms_and_80_52_comes_next_among_its_splits() -> None:
    rows = planned("nh_tts")[32].ranking
    assert rows[0].score_ps == 42_520_000_000
    assert [row.id for row in rows if row.id.startswith(f"{THREE}@dynamic")] == [
        f"{THREE}@dynamic:{pair}" for pair in ("88/44", "80/52", "72/60")
    ]


def test_the_serial_form_is_4_2_percent_slower_at_64() -> None:
    assert score_ms(64, f"{THREE}@serial") / score_ms(64, f"{THREE}@dynamic:88/44") == pytest.approx(1.042, abs=0.0005)


@pytest.mark.parametrize(("batch", "measured_ms"), [(1, 73.0), (32, 145.8), (64, 221.5)])
def test_the_conventional_design_is_within_5_percent_of_the_measured(batch: int, measured_ms: float) -> None:
    assert score_ms(batch, CONVENTIONAL) == pytest.approx(measured_ms, rel=0.05)


@pytest.mark.parametrize("policy", ["serial", "fixed:88/44"])
@pytest.mark.parametrize(("batch", "measured_ms"), [(1, 32.7), (32, 45.8), (64, 61.0)])
def test_the_one_megakernel_design_is_within_5_percent_of_the_measured(batch: int, measured_ms: float, policy: str) -> None:
    assert score_ms(batch, f"m:P+B+L+C@{policy}") == pytest.approx(measured_ms, rel=0.05)


@pytest.mark.parametrize(("batch", "measured_ms"), [(1, 27.5), (32, 35.99), (64, 47.4)])
def test_three_megakernels_are_over_predicted_by_6_to_22_percent(batch: int, measured_ms: float) -> None:
    assert 1.06 <= score_ms(batch, planned("nh_tts")[batch].best[0]) / measured_ms <= 1.22


@pytest.mark.parametrize("policy", ["serial", "fixed:88/44", "fixed:80/52", "fixed:72/60"])
@pytest.mark.parametrize("batch", [1, 32, 64])
def test_one_and_two_megakernels_are_within_half_a_percent(batch: int, policy: str) -> None:
    assert score_ms(batch, f"m:P+B+L+C@{policy}") == pytest.approx(score_ms(batch, f"m:P/m:B+L+C@{policy}"), rel=0.005)


@pytest.mark.parametrize("ablation", [Ablation.ADDITIVE, Ablation.NO_OVERLAP])
@pytest.mark.parametrize("batch", [1, 32, 64])
def test_both_ablations_choose_serial_on_nh_tts(batch: int, ablation: Ablation) -> None:
    assert planned("nh_tts", ablation)[batch].best == (f"{THREE}@serial",)


@pytest.mark.parametrize("batch", [1, 32, 64])
def test_the_two_ablations_score_every_candidate_of_nh_tts_alike(batch: int) -> None:
    additive, serialized = (
        {row.id: row.score_ps for row in planned("nh_tts", ablation)[batch].ranking}
        for ablation in (Ablation.ADDITIVE, Ablation.NO_OVERLAP)
    )
    assert additive == serialized


@pytest.mark.parametrize("batch", [1, 32, 64])
def test_a_reconstruction_is_never_presented_as_a_prediction(batch: int) -> None:
    result = planned("nh_tts")[batch]
    assert any("regression of the method, not a prediction" in note for note in result.notes)
    assert {row.evidence for row in result.ranking} == {("reconstructed",)}


@pytest.mark.parametrize("batch", [1, 32, 64])
def test_each_score_of_nh_tts_is_exact(batch: int) -> None:
    assert all(isinstance(row.score_ps, int | Fraction) for row in planned("nh_tts")[batch].ranking)


def test_c89_the_vocoder_of_the_field_comes_out_as_the_page_about_sharing_says() -> None:
    ranking = planned("field_vocoder")[1].ranking
    page = (SPECS.parent / "docs/sharing.md").read_text(encoding="utf-8")
    cells = [[f"{float(value) / PS_PER_MS:.3f}" for _, value in row.times] for row in ranking]
    rows = [f"| `{row.id}` | {' | '.join(times)} |" for row, times in zip(ranking, cells, strict=True) if row.same_as is None]
    assert len(rows) == 6
    assert [line for line in page.splitlines() if "c:P+T/c:C@" in line and line.startswith("|")] == rows


def test_what_the_vocoder_of_the_field_rests_on_is_assumed_and_its_streams_are_a_best_case() -> None:
    for row in planned("field_vocoder")[1].ranking:
        assert row.evidence == ("assumed",)
        assert (BEST_CASE in row.notes) == row.candidate.policy.is_streams


def test_what_the_sides_of_the_vocoder_pay_is_what_the_page_about_sharing_says() -> None:
    found = explained(load_spec(SPECS / "field_vocoder.yaml"), "c:P+T/c:C@partition:96/32")
    lines = sides_lines(found.paid_by_sides)
    assert len(lines) == 3
    assert "\n".join(lines) in (SPECS.parent / "docs/sharing.md").read_text(encoding="utf-8")
