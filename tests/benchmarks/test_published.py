"""The table of published figures: what counts, what is said of a tie, and the rows that cost little to work out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.published import parts
from benchmarks.published_decode import SHIPPED_GAP_US, SHIPPED_RAMP_US, decode_rows, gap_rows, layer_graph_rows, steps_us
from benchmarks.published_derived import derived_us, shipped_study
from benchmarks.published_ladders import (
    EAGER_MS,
    FIRST_MS,
    FITTED_CHUNKS,
    GRAPH,
    JETSON_FITTED,
    JETSON_MS,
    JETSON_SPEEDS,
    MEGA,
    RUNGS_MS,
    first_audio_ms,
    first_ms,
    frame_ms,
    ladder_rows,
    rungs_ms,
)
from benchmarks.published_pairs import (
    B200_SMS,
    PAIRED,
    SMS,
    UNLIMITED,
    beside_ms,
    in_series_us,
    measured_graph_rows,
    pair_rows,
    sweep_rows,
    sweep_us,
    worths,
)
from benchmarks.published_premises import IN_FLIGHT_BYTES, LATENCY_PS, limited_loads, with_contracts
from benchmarks.published_row import Mark, Published, Row, Winner, before_line, count_line, heading, lines_of
from benchmarks.published_tables import (
    CHAIN_KERNELS,
    GRAPH_US,
    H100,
    LAUNCHES_US,
    barrier_rows,
    chain_constants,
    chain_rows,
    chain_us,
    int8_rows,
    operators_us,
    prefetch_rows,
)
from benchmarks.published_winners import CASES, LLAMA, NH_TTS, QWEN, case_rows, chosen_ids, is_one_design
from megasolve.contracts import PS_PER_US, Document, load_spec
from megasolve.simulate.expand.setup import Mechanisms
from megasolve.solver import Derivation, plan, solve
from tests.support.planning.studies import SPECS

SOURCE = Published("T0", "somewhere", "us")


def winner(mark: Mark = Mark.PREDICTED, *, is_right: bool = True, is_counted: bool = True) -> Winner:
    return Winner("case", "best design", "this", "this", mark, "somewhere", is_right=is_right, is_counted=is_counted)


def test_only_right_predictions_count_as_predicted() -> None:
    rows = [winner(), winner(is_right=False), winner(Mark.FITTED), winner(Mark.FITTED, is_right=False)]
    assert count_line(rows) == "winners predicted: 1 of 4, fitted: 2, resting on one assumption: 0, too close: 0"


def test_a_case_that_stands_apart_and_a_plain_figure_count_for_nothing() -> None:
    rows: list[Row] = [winner(is_counted=False), SOURCE.predicted("a time", 1.0, 1.0)]
    assert count_line(rows) == "winners predicted: 0 of 0, fitted: 0, resting on one assumption: 0, too close: 0"


def test_the_cases_are_the_thirteen_of_the_paper_and_one_model_apart() -> None:
    assert sum(len(case.winners) for case in CASES if case.counted) == 13
    assert [case.spec for case in CASES if not case.counted] == ["nh_tts_standin"]
    assert [case.spec for case in CASES if case.mark is Mark.FITTED] == ["nh_tts"]
    assert all(set(ids) <= set(case.pool) for case in CASES for ids in case.winners.values())


def test_every_part_is_worked_out_once() -> None:
    assert len(parts()) == sum(len(case.winners) for case in CASES) + 18


@pytest.mark.parametrize(("ours", "theirs", "error"), [(110.0, 100.0, 0.1), (90.0, 100.0, -0.1)])
def test_an_error_is_relative_to_what_was_published(ours: float, theirs: float, error: float) -> None:
    assert SOURCE.predicted("a time", theirs, ours).error == pytest.approx(error)


def test_a_missing_input_has_no_error() -> None:
    assert SOURCE.missing("a time", 1.0, lacks="a device").error is None


def test_rows_that_rest_on_the_same_things_say_so_once() -> None:
    row = SOURCE.predicted("a time", 1.0, 1.1, reason="because")
    printed = list(lines_of([row, replace(row, figure="another"), SOURCE.fitted("a third", 1.0, 1.0, basis="this")]))
    assert [line.split()[0] for line in printed] == ["T0", "somewhere", "because", "T0", "T0", "somewhere", "this"]
    assert printed[0].endswith("1.100 us                       1.000 us   +10.0%   +10.0%  predicted")
    assert heading().split() == ["figure", "the", "model", "published", "error", "before", "mark"]


def test_a_tie_of_one_design_is_a_winner_and_a_tie_of_two_is_none() -> None:
    result = solve(load_spec(SPECS / "equal_partitions.yaml")).results[0]
    tied = chosen_ids(result.ranking)
    assert len(tied) > 1
    assert is_one_design(result, tied[:1])
    designs = {row.same_as or row.id for row in result.ranking if row.id in tied}
    assert is_one_design(result, tied) is (len(designs) == 1)
    assert not is_one_design(result, ())


@pytest.mark.parametrize("batch", [1, 32, 64])
def test_the_reconstruction_chooses_the_winners_that_it_was_fitted_to(batch: int) -> None:
    result = solve(load_spec(SPECS / "nh_tts.yaml"), batches=[batch]).results[0]
    chosen = chosen_ids([row for row in result.ranking if row.id in NH_TTS.pool])
    assert len(chosen) == 1
    assert chosen[0] in NH_TTS.winners[batch]


def test_the_constants_of_a_chain_reproduce_its_ends() -> None:
    launch, gap = chain_constants({8: 26.0, 16: 42.0, 24: 58.0})
    assert (launch, gap) == (10.0, 2.0)


def test_the_ends_of_the_chains_are_fitted_and_the_rest_is_predicted_within_15_percent() -> None:
    fitted = [row.figure for row in chain_rows() if row.mark is Mark.FITTED]
    assert fitted == ["117 empty kernels as launches", "8 empty kernels as one graph", "117 empty kernels as one graph"]
    assert all(abs(row.error or 0) < 0.15 for row in chain_rows())


def test_a_chain_with_the_published_host_part_is_no_worse_than_two_fitted_constants() -> None:
    rows = [row for row in chain_rows() if "launches" in row.figure]
    assert all(abs(row.error or 0) < abs(row.error_before or 0) for row in rows[1:-1])
    assert 0 < (rows[0].error or 0) < 0.02


def test_the_chains_of_the_spec_have_the_costs_that_their_ends_give() -> None:
    once_us, node_us = chain_constants(GRAPH_US)
    for kernels in CHAIN_KERNELS:
        assert chain_us("graph", kernels) == pytest.approx(once_us + node_us * kernels, abs=0.001)
    longest = max(CHAIN_KERNELS)
    assert chain_us("launches", longest) == pytest.approx(LAUNCHES_US[longest], abs=0.001)
    assert chain_us("launches", 40) - chain_us("launches", 39) == pytest.approx((LAUNCHES_US[longest] - 2.65) / longest, abs=0.001)


def test_the_page_has_how_far_off_chains_and_barriers_are() -> None:
    page = (SPECS.parent / "docs" / "published.md").read_text(encoding="utf-8")
    errors = [100 * abs(row.error or 0) for row in chain_rows()]
    shortest, second, *between = errors[:5]
    assert f"the four between are {min(between):.1f} to {max(between):.1f} % and {second:.1f} % fast" in page
    assert f"the shortest {shortest:.1f} % slow" in page
    assert f"four between within {max(errors[7:11]):.1f} %" in page
    graph, launches = (100 * (row.error or 0) for row in barrier_rows()[3:5])
    assert f"graph and launches are {graph:.0f} and {launches:.0f} % slow" in page


def test_a_graph_pays_from_three_empty_kernels_on() -> None:
    assert chain_us("launches", 2) < chain_us("graph", 2)
    assert chain_us("graph", 3) < chain_us("launches", 3)


def test_on_an_h100_a_chain_costs_what_was_published_a_kernel() -> None:
    assert chain_us("launches", 100, H100) == pytest.approx(210)
    assert chain_us("graph", 100, H100) == pytest.approx(130)


def test_grid_barriers_are_fitted_since_their_cost_is_a_quotient_of_the_total() -> None:
    own, foreign, norms = barrier_rows()[:3], barrier_rows()[3:5], barrier_rows()[5:]
    assert {row.mark for row in own} == {Mark.FITTED}
    assert all(abs(row.error or 0) < 1e-5 for row in own)
    assert all(row.mark is Mark.PREDICTED and "another device" in row.reason for row in foreign)
    assert all(row.reason for row in norms)


def test_a_barrier_less_is_worth_one_barrier_and_no_launch() -> None:
    assert operators_us("cooperative") - operators_us("cooperative", 169) == pytest.approx(56 * 0.73, abs=0.001)
    assert operators_us("cooperative") < operators_us("graph") < operators_us("launches")


def test_without_barriers_the_cooperative_kernel_is_its_launch() -> None:
    free = Derivation(Mechanisms().without("synchronization"))
    (result,) = solve(shipped_study("published/barriers_3090"), derivation=free).results
    assert {row.id: float(row.score_ps) / PS_PER_US for row in result.ranking}["m:O@serial"] == pytest.approx(3.05, abs=0.001)


def test_only_the_megakernel_on_the_h100_is_fitted() -> None:
    marks = {row.figure: row.mark for row in decode_rows()}
    fitted = [figure for figure, mark in marks.items() if mark is Mark.FITTED]
    assert fitted == ["Llama-1B decode step on h100_sxm, megakernel", "graph over megakernel on h100_sxm"]
    assert all(mark is Mark.PREDICTED for figure, mark in marks.items() if "h200" in figure)


def test_megakernel_and_graph_are_too_close_to_call_where_a_repeat_could_turn_them() -> None:
    reasons = {row.figure: row.reason for row in decode_rows() if row.figure.startswith("graph over")}
    assert reasons["graph over megakernel on h100_sxm"].startswith("too close to call")
    assert not reasons["graph over megakernel on h200"]


def test_what_lacks_an_input_gets_no_figure() -> None:
    assert {(row.mark, row.predicted) for row in int8_rows()} == {(Mark.MISSING, None)}


def test_the_miss_in_sign_of_prefetch_stays_in_the_table() -> None:
    prefetch = [row for row in prefetch_rows() if row.figure.startswith("prefetch")]
    assert all(isinstance(row.predicted, float) and row.predicted <= 1 for row in prefetch)
    missed = [row for row in prefetch if isinstance(row.published, float) and row.published > 1]
    assert len(missed) == 7
    assert all("miss in sign" in row.reason for row in missed)


@pytest.mark.parametrize("device", ["h100_sxm", "h200"])
def test_c46_simulated_steps_differ_by_less_than_what_is_known_of_them(device: str) -> None:
    megakernel_us, graph_us = steps_us(device)
    assert 1 < graph_us / megakernel_us < 1.05


def test_each_winner_stands_beside_how_far_a_time_may_be_off_before_it_turns() -> None:
    (winner, *_) = case_rows(NH_TTS, 32)
    assert "turns where B in B+L on 88 CTAs (reconstructed) is off by +5.33%: then m:P/m:B+L/m:C@dynamic:80/52" in winner.reason


def test_a_chain_of_parts_is_a_line_in_the_frames_and_only_its_ends_are_fitted() -> None:
    times = {frames: first_ms(MEGA, frames) for frames in FIRST_MS}
    assert [times[frames] for frames in FITTED_CHUNKS] == pytest.approx([FIRST_MS[frames] for frames in FITTED_CHUNKS], abs=0.01)
    assert all(abs(times[frames] / FIRST_MS[frames] - 1) < 0.02 for frames in FIRST_MS)


def test_a_jetson_is_fitted_to_two_chunks_and_the_others_are_predicted() -> None:
    rows = {row.figure: row for row in ladder_rows() if "first chunk of" in row.figure and row.figure.startswith("Qwen3-TTS graphs")}
    assert [row.mark is Mark.FITTED for row in rows.values()] == [frames in JETSON_FITTED for frames in JETSON_MS]
    assert [round(row.error or 0, 3) for row in rows.values()] == [-0.095, 0.0, 0.004, 0.004, 0.0]


def test_on_a_jetson_chunks_of_two_keep_up_and_chunks_of_one_do_not() -> None:
    assert frame_ms(1) > 80 > frame_ms(2)
    assert [speed > 1 for speed in JETSON_SPEEDS.values()] == [frame_ms(frames) < 80 for frames in JETSON_SPEEDS]
    assert all(0.9 < frame_ms(frames) * speed / 80 < 1 for frames, speed in JETSON_SPEEDS.items())


def test_the_page_has_how_far_off_the_jetson_is() -> None:
    page = (SPECS.parent / "docs" / "published.md").read_text(encoding="utf-8")
    rows = {row.figure: 100 * abs(row.error or 0) for row in ladder_rows()}
    one, front, eager = (
        rows[name] for name in ("Qwen3-TTS graphs, first chunk of 1", "the front page's first chunk of 8", "eager, first chunk of 8")
    )
    assert f"{one:.1f} % low, within 0.4 %; {front:.1f} % low |" in page
    assert f"{eager:.0f} % low |" in page
    frames = [rows[f"a frame of a run in chunks of {chunk}"] for chunk in (1, 4, 8)]
    assert "{:.1f}, {:.1f} and {:.1f} % fast".format(*frames) in page


def test_eager_frames_lack_the_part_of_the_host_that_nobody_published_as_a_part() -> None:
    assert first_audio_ms(8, "eager") - first_audio_ms(8) == pytest.approx(8 * (75 + 190 - 12 - 26))
    (row,) = (row for row in ladder_rows() if row.figure.startswith("eager, first chunk"))
    assert (row.mark, row.published) == (Mark.PREDICTED, EAGER_MS)
    assert (row.error or 0) < -0.3


def test_the_whole_of_cosyvoice_is_its_stages_and_what_batch_1_left_over() -> None:
    rows = [row for row in ladder_rows() if row.figure.startswith("CosyVoice")]
    assert [row.mark for row in rows] == [Mark.FITTED] + [Mark.PREDICTED] * 4
    assert [row.predicted for row in rows] == pytest.approx([19.48, 15.03, 11.57, 9.64, 8.94])
    assert all(0.005 < (row.error or 0) < 0.015 for row in rows[1:])


def test_a_ladder_gets_slower_where_the_predictor_is_a_graph_and_faster_where_the_codec_is_one() -> None:
    assert first_ms(MEGA, 2, codec="C_graph") < first_ms(MEGA, 2) < first_ms(GRAPH, 2)


def test_the_build_order_of_the_voice_ladder_is_that_in_which_it_was_built() -> None:
    (batch,) = plan(shipped_study("published/voice_ladder")).batches
    rows = batch.order.rows
    assert [sorted(row.added) for row in rows] == [[], ["T_mega"], ["Q_mega"], ["C=graph"]]
    assert [sorted(rival.new) for rival in rows[1].rivals] == [["Q_mega"]]
    assert all(abs(ours / theirs - 1) < 0.2 for ours, theirs in zip(rungs_ms(), RUNGS_MS, strict=True))


def test_a_rung_that_rests_on_glue_or_on_the_first_rung_counts_for_nothing() -> None:
    rows = [row for row in ladder_rows() if "with glue" in row.figure]
    assert [row.mark for row in rows] == [Mark.FITTED] * 4
    alone = [row for row in ladder_rows() if row.figure.startswith("second machine,")]
    assert [(row.mark, row.published, round(row.error or 0, 2)) for row in alone] == [
        (Mark.PREDICTED, 67.0, -0.11),
        (Mark.PREDICTED, 54.0, -0.15),
        (Mark.PREDICTED, 43.0, -0.23),
    ]


@pytest.mark.parametrize(("objective", "pays"), [("producer_step", True), ("chunk_interval", True), ("first_publication", False)])
def test_a_talker_that_makes_frames_faster_and_the_first_sound_later_is_built_for_the_one_and_not_the_other(
    objective: str, pays: bool
) -> None:
    study = shipped_study("published/e3_ladder")
    (batch,) = plan(study, objective=objective).batches
    assert [sorted(row.best.new) for row in batch.order.rows] == ([[], ["T_mega"]] if pays else [[]])
    (result,) = solve(study, objective=objective).results
    scores = {row.id: row.score_ps for row in result.ranking}
    assert (scores["c:P+Q/m:T/c:S+C@serial"] < scores["c:P+Q+T+S+C@serial"]) is pays


def test_what_nobody_published_the_parts_of_has_no_figure() -> None:
    missing = [row for row in ladder_rows() if row.mark is Mark.MISSING]
    assert len(missing) == 2
    assert all(row.predicted is None for row in missing)


def test_a_pair_has_a_row_for_each_split_and_one_of_them_is_fitted() -> None:
    rows = pair_rows()
    assert len(rows) == 6 * len(SMS) + len(PAIRED)
    assert [row.figure for row in rows if row.mark is Mark.FITTED] == ["experts on 8 SMs beside attention"]
    errors = {row.figure: row.error or 0 for row in rows}
    assert abs(errors["experts on 8 SMs beside attention"]) < 0.001
    assert all(-0.18 < error < 0.24 for figure, error in errors.items() if not figure.startswith("gemm"))
    assert all(abs(error) < 0.07 for figure, error in errors.items() if figure.startswith("gemm") and "beside attention" in figure)
    assert min(errors.values()) == pytest.approx(-0.357, abs=0.002)


def test_attention_descends_in_stairs_and_the_experts_by_what_each_sm_draws() -> None:
    attention, experts = (dict(zip(SMS, beside_ms(kernel, "gemm"), strict=True)) for kernel in ("attention", "experts"))
    assert attention[72] == attention[120] == attention[64] == attention[32] / 2 == 0.15
    assert experts[8] == pytest.approx(2 * experts[16], rel=0.01)
    assert experts[96] == experts[120]


def test_the_experts_take_as_long_on_few_sms_as_on_all_where_nothing_limits_what_an_sm_draws() -> None:
    limited, unlimited = beside_ms("experts", "gemm"), beside_ms("experts", "gemm", UNLIMITED)
    assert limited[0] > 10 * unlimited[0]
    assert unlimited[0] == pytest.approx(unlimited[-1], rel=0.03)


def test_partners_slow_each_other_where_together_they_ask_for_more_than_there_is() -> None:
    beside_product, beside_experts = (dict(zip(SMS, beside_ms("attention", partner), strict=True)) for partner in ("gemm", "experts"))
    assert beside_experts[64] == beside_product[64]
    assert beside_experts[32] > 1.05 * beside_product[32]


def test_what_the_best_split_of_a_pair_is_worth_stands_beside_what_the_published_times_say() -> None:
    found = {pair.sides: tuple(round(worth, 2) for worth in worths(pair)) for pair in PAIRED}
    # Right, and twice wrong: the page says why.
    assert found == {("attention", "gemm"): (1.0, 1.04), ("attention", "experts"): (1.01, 0.91), ("experts", "gemm"): (0.86, 1.01)}


def test_the_page_of_sharing_has_what_the_best_splits_are_worth() -> None:
    page = (SPECS.parent / "docs" / "sharing.md").read_text(encoding="utf-8")
    words = {"gemm": "product"}
    for pair in PAIRED:
        ours, theirs = (f"{abs(worth - 1):.1%} {'slower' if worth > 1 else 'quicker'}".replace("%", " %") for worth in worths(pair))
        sides = ", ".join(words.get(side, side) for side in pair.sides)
        (row,) = (line for line in page.splitlines() if line.startswith(f"| {sides} |"))
        assert row.endswith(f"| {ours} | {theirs} |")


def test_a_pair_has_the_times_alone_that_its_contracts_are_made_of() -> None:
    for pair, group, alone_us in (
        ("attention_gemm", "attention", 75),
        ("attention_gemm", "gemm", 3845),
        ("attention_experts", "experts", 814),
    ):
        study = shipped_study(f"published/hopper_pairs_{pair}")
        entry = next(one.value.entry for one in study.contracts if one.value.members == (group,))
        # Of kernels that only load, one tile is on its way at the end of each.
        assert derived_us(study, entry, group, batch=128) == pytest.approx(alone_us, rel=0.05 if group == "experts" else 0.0001)


def test_two_ctas_an_sm_lie_between_one_and_the_stock_grid_and_what_a_cta_draws_and_one_rate_are_fitted() -> None:
    rows = sweep_rows()
    first = [Mark.FITTED, Mark.PREDICTED, Mark.FITTED, Mark.PREDICTED]
    assert [row.mark for row in rows] == [*first, Mark.PREDICTED, *first[1:]]
    assert all(abs(row.error or 0) < 0.001 for row in rows if row.mark is Mark.FITTED)
    assert all(abs(row.error or 0) < 0.12 < abs(row.error_before or 0) for row in rows if row.mark is Mark.PREDICTED)
    for stock, two, one, fewer in (rows[:4], rows[4:]):
        assert isinstance(stock.predicted, float)
        assert stock.predicted <= float(two.predicted or 0) < float(one.predicted or 0) < float(fewer.predicted or 0)


@pytest.mark.parametrize(("kernel", "error"), [("w13", 0.054), ("w2", 0.059)])
def test_two_limits_in_series_would_be_as_slow_at_two_ctas_an_sm_as_the_larger_one_is_fast(kernel: str, error: float) -> None:
    (row,) = (row for row in sweep_rows() if row.figure.startswith(f"{kernel} with {2 * B200_SMS} "))
    assert isinstance(row.published, float)
    assert in_series_us(kernel, 2 * B200_SMS) / row.published - 1 == pytest.approx(error, abs=0.0005)
    assert f"it would be {error:+.1%}" in row.reason


def test_only_the_quotient_of_bytes_in_flight_and_latency_counts() -> None:
    study = shipped_study("published/mirage_experts")
    device = study.device
    twice = device.value.model_copy(update={"hbm_latency_ps": 2 * (device.value.hbm_latency_ps or 0)})
    slower = with_contracts(study, lambda one: one.model_copy(update={"in_flight_bytes": 2 * int(one.in_flight_bytes or 0)}))
    slower = replace(slower, device=Document(device.file, twice, device.places))
    assert derived_us(slower, "w13_persistent", "w13", batch=16) == pytest.approx(sweep_us("w13", 136), rel=0.005)


def test_a_persistent_worker_an_sm_is_no_rival_of_the_stock_grid() -> None:
    (result,) = solve(shipped_study("published/mirage_experts")).results
    assert result.best == ("c:w13+w2@serial", "c:w13/c:w2@serial")
    (best, *_), (last,) = result.ranking, [row for row in result.ranking if row.id == "m:w13/m:w2@serial"]
    assert 2.0 < float(last.score_ps) / float(best.score_ps) < 2.2


def test_measured_graphs_leave_the_megakernels_ahead() -> None:
    (row,) = measured_graph_rows()
    assert (row.predicted, row.error) == ("four megakernels", None)


def test_what_a_winner_rests_on_is_counted_apart_from_what_is_too_close() -> None:
    right, resting, close = winner(), replace(winner(), rests_on="tiles"), replace(winner(), rests_on="tiles", is_close=True)
    wrong = replace(winner(is_right=False), rests_on="tiles")
    line = count_line([right, resting, close, wrong])
    assert line == "winners predicted: 3 of 4, fitted: 0, resting on one assumption: 1, too close: 1"
    assert [one.verdict for one in (right, close, wrong)] == ["right", "close", "wrong"]


def test_the_error_before_is_that_of_today_where_no_mechanism_changes_it() -> None:
    row = SOURCE.predicted("a time", 1.0, 1.1, before=2.0)
    assert row.error == pytest.approx(0.1)
    assert row.error_before == pytest.approx(1.0)
    assert SOURCE.predicted("a time", 1.0, 1.1).error_before == pytest.approx(0.1)


def test_libraries_turn_llama_to_the_graph_and_what_was_right_before_says_so() -> None:
    (at_1,) = case_rows(LLAMA, 1)
    assert isinstance(at_1, Winner)
    assert (at_1.predicted, at_1.verdict, at_1.verdict_before) == ("c:P/c:D@serial", "wrong", "right")
    assert "nobody published this prefill as a graph" in at_1.reason


def test_qwen_at_batch_1_is_too_close_to_call_and_a_margin_has_an_error_before() -> None:
    (at_1,) = case_rows(QWEN, 1)
    assert isinstance(at_1, Winner)
    assert (at_1.is_right, at_1.verdict, at_1.rests_on) == (True, "close", "no limit on what one CTA draws")
    assert "a repeat of a measurement moves by up to 2%" in at_1.reason
    assert "turns without this, too: no limit on what one CTA draws" in at_1.reason
    _, margin = case_rows(QWEN, 64)
    assert (margin.error or 0) > 5 * (margin.error_before or 1)


def test_with_equal_tiles_on_both_sides_four_megakernels_lead_at_16() -> None:
    (at_16, _) = case_rows(QWEN, 16)
    assert isinstance(at_16, Winner)
    assert at_16.verdict == "wrong"
    assert "; right with products of the megakernels as fast for their shape" in at_16.reason
    assert "next in the pool c:P/c:B/c:L/c:C@serial" in at_16.reason


def test_how_many_were_right_before_is_counted_beside() -> None:
    rows = [
        winner(is_right=False),
        replace(winner(is_right=False), was_right=True),
        replace(winner(), was_right=False),
        winner(Mark.FITTED),
    ]
    assert before_line(rows) == "before, with one stated tile for every product of a graph: 1 of 4"
    assert [one.verdict_before for one in rows] == ["wrong", "right", "wrong", "right"]


def test_gap_and_ramp_are_those_that_the_shipped_graphs_state() -> None:
    for name in ("llama_1b", "qwen3_tts", "nh_tts_standin"):
        graphs = [one.value.dispatch for one in load_spec(SPECS / f"{name}.yaml").contracts if one.value.backend == "conventional"]
        assert {(one.gap_ps, one.ramp_ps) for one in graphs} == {(SHIPPED_GAP_US * PS_PER_US, SHIPPED_RAMP_US * PS_PER_US)}


def test_gap_and_ramp_are_of_a_trace_and_of_a_chain_and_the_layer_is_what_they_predict() -> None:
    idle, kernels, small, *removed, empty = gap_rows()
    assert [row.mark for row in (idle, empty)] == [Mark.FITTED] * 2
    assert all(abs(row.error or 0) < 0.01 for row in (idle, empty))
    assert kernels.mark is Mark.PREDICTED
    assert -0.10 < (kernels.error or 0) < 0
    assert [row.mark for row in removed] == [Mark.MISSING] * 2
    # Small kernels have half of the gap between them.
    assert (small.error or 0) > 0.5


def test_the_layer_counts_as_fitted_on_both_devices_that_the_rule_was_written_with() -> None:
    on_h100, on_a100, *others = layer_graph_rows()
    assert {on_h100.mark, on_a100.mark} == {Mark.FITTED}
    assert all(abs(row.error or 1) < 0.10 < (row.error_before or 0) for row in (on_h100, on_a100))
    # Of the same layer on other devices those were known, too, when the rule learned how much an SM computes.
    known, tokens = others[:2], others[2:]
    assert {row.mark for row in known} == {Mark.FITTED}
    assert all(0 < (row.error or 0) < 0.5 for row in known)
    assert [(row.mark, (row.error or 0) < 0) for row in tokens] == [(Mark.PREDICTED, True)] * 4


def test_no_premise_is_looked_at_for_a_batch_that_its_case_does_not_have() -> None:
    assert all(set(premise.batches) <= set(case.winners) for case in CASES for premise in case.premises)
    assert all(set(premise.open) <= set(premise.batches) for case in CASES for premise in case.premises)


def test_limited_loads_are_in_every_contract_and_the_device_has_their_latency() -> None:
    study = limited_loads(load_spec(SPECS / "qwen3_tts.yaml"))
    assert {one.value.in_flight_bytes for one in study.contracts} == {IN_FLIGHT_BYTES}
    assert study.device.value.hbm_latency_ps == LATENCY_PS
