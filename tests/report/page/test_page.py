"""The page as text: the numbers of the JSON result, small, and nothing in it that a name could make markup."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from functools import cache

import pytest

from megasolve.contracts import load_spec
from megasolve.report import solve_json
from megasolve.report.page.frozen import ResultFile, frozen_view
from megasolve.report.page.page import report_page
from megasolve.report.page.schedule import MOST_DRAWN, WIDTH, schedule_view
from megasolve.simulate import Objective
from megasolve.solver import plan_of_text
from megasolve.solver.reported.reported import Reported, ReportWishes, reported
from megasolve.solver.timeline.timeline import Chart, Curve, DrawnSpan, DrawnTimeline, Mark, SpanKind, Track
from tests.support.planning.studies import SPECS, conventional, group, megakernel, record, spec, study

QUICK = ReportWishes(is_quick=True)
TRACKS = (Track("m:A", (DrawnSpan("x", SpanKind.TASK, 0, 100),)),)
NASTY = "<script>alert(1)</script>&\"'{{ 7*7 }}\u202e\x1b[31m"


@cache
def of_nh_tts() -> Reported:
    return reported(load_spec(SPECS / "nh_tts.yaml"), wishes=QUICK)


def drawn(*tracks: Track, last: int = 100) -> DrawnTimeline:
    return DrawnTimeline("id", 1, Objective.FIRST_PUBLICATION, last, 1, Chart("id", tracks, marks=(Mark("publication", last),)))


def test_the_rows_have_the_numbers_of_the_json_result() -> None:
    shown, page = of_nh_tts(), report_page([of_nh_tts()], "1")
    (first, *_) = json.loads(solve_json(shown.result))["results"]
    section = page.partition('id="study-1-batch-1"')[2].partition('id="study-1-batch-32"')[0]
    ranked = re.findall(r'data-ps="([^"]+)">([^<]+)</td>', section)
    assert [ps for ps, _ in ranked] == [str(row["score_ps"]) for row in first["ranking"]]
    assert [Fraction(text.removesuffix(" ms")) for _, text in ranked] == [
        round(Fraction(row["score_us"]) / 1000, 3) for row in first["ranking"]
    ]


def test_the_answer_stands_first_with_its_margin() -> None:
    page = report_page([of_nh_tts()], "1")
    changes = "m:P/m:B+L/m:C@serial at 1; m:P/m:B+L/m:C@dynamic:88/44 at 32, 64."
    assert page.index(f"The best design changes with the batch: {changes}") < page.index("From batch to batch")
    answer = "At batch 1 the best of 81 candidates takes 29.546 ms, time to the first publication."
    assert page.index(answer) < page.index("What runs when") < page.index("Critical path") < page.index("Ranking")


def test_the_bars_of_the_critical_path_follow_each_other_to_the_end() -> None:
    page = report_page([of_nh_tts()], "1")
    for table in re.findall(r'<table class="path">.*?</table>', page, re.DOTALL):
        bars = [(float(left), float(width)) for left, width in re.findall(r"margin-left:([\d.]+)%;width:([\d.]+)%", table)]
        assert bars[0][0] == 0
        ends = [left + width for left, width in bars]
        assert [left for left, _ in bars[1:]] == pytest.approx(ends[:-1], abs=0.002)
        assert ends[-1] == pytest.approx(100, abs=0.002)


def test_no_name_is_markup_or_a_command() -> None:
    named, kernel = spec([group("A", "admission")], title=NASTY), conventional("A", title=NASTY)
    page = report_page([reported(study(named, [kernel], [record(kernel, "A", 10)]))], "1")
    assert "<script>alert" not in page
    assert "{{ 7*7 }}" in page
    assert page.count("<script>") == 1
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", page)


def test_nothing_feasible_is_said_with_the_rules_that_exclude() -> None:
    page = report_page([reported(study(spec([group("A", "producer")]), [megakernel("A")], []))], "1")
    assert "nothing is feasible" in page
    assert "What is excluded, and why" in page
    assert "What runs when" not in page


def test_a_page_of_twenty_thousand_spans_is_below_a_megabyte_and_drawn_on_a_canvas() -> None:
    tracks = [
        Track(f"m:{row}", tuple(DrawnSpan(f"task {at % 50}", SpanKind.TASK, at * 10, at * 10 + 9, (("A", 9),)) for at in range(2_000)))
        for row in range(10)
    ]
    view = schedule_view([drawn(*tracks, last=20_000)], ["A"])
    assert view.charts[0].spans == 20_000
    assert view.charts[0].is_large
    assert len(json.dumps(view.charts[0].data)) < 600_000


def test_a_span_too_short_to_see_is_a_hair_and_no_gap() -> None:
    view = schedule_view(
        [drawn(Track("m:A", (DrawnSpan("x", SpanKind.TASK, 0, 1), DrawnSpan("y", SpanKind.TASK, 1, 10**9))), last=10**9)], []
    )
    first, second = view.charts[0].tracks[0].spans
    assert (first.x, first.width) == (0, 1)
    assert second.x + second.width == WIDTH
    assert not view.charts[0].is_large
    assert view.charts[0].spans <= MOST_DRAWN


@pytest.mark.parametrize("last", [10**5, 123_456_789, 999 * 10**9, 10**13])
def test_ticks_are_round_and_at_most_nine(last: int) -> None:
    ticks = schedule_view([drawn(Track("m:A", (DrawnSpan("x", SpanKind.TASK, 0, last),)), last=last)], []).ticks
    assert 1 <= len(ticks) <= 9
    assert ticks[0].x == 0
    assert len({tick.words for tick in ticks}) == len(ticks)


def test_curves_of_one_name_stand_on_one_scale_and_reach_over_what_the_device_has() -> None:
    curves = [Curve("HBM demand", "bytes/s", ((0, peak), (100, 0))) for peak in (2 * 10**12, 4 * 10**12)]
    low, high = (DrawnTimeline("id", 1, Objective.FIRST_PUBLICATION, 100, 1, Chart("id", TRACKS, (curve,))) for curve in curves)
    (one,), (other,) = (chart.curves for chart in schedule_view([low, high], ["A"], {"HBM demand": 3 * 10**12}).charts)
    assert (one.peak, other.peak) == ("2,000 of 3,000 GB/s", "4,000 of 3,000 GB/s")
    assert [min(int(point.partition(",")[2]) for point in curve.points.split()) for curve in (one, other)] == [50, 0]
    assert one.limit_y == other.limit_y == 25
    assert schedule_view([low], ["A"], {"HBM demand": 3 * 10**12}).charts[0].curves[0].peak == "2,000 GB/s"


def test_the_first_screen_says_of_each_batch_who_shares_and_how_sure_that_is() -> None:
    (table,) = re.findall(r'<table class="summary">.*?</table>', report_page([of_nh_tts()], "1"), re.DOTALL)
    rows = table.partition("<tbody>")[2].split("</tr>")
    assert "One after the other, each on the whole GPU." in rows[0]
    assert "Side by side once the first chunk is ready: 88 CTAs make, 44 CTAs take." in rows[1]
    assert all("reconstructed" in row and "Accuracy not stated by the evidence." in row for row in rows[:3])


def test_several_studies_are_named_before_the_first_with_their_answers() -> None:
    page = report_page([of_nh_tts(), of_nh_tts()], "1")
    contents = page.partition('<nav aria-label="studies on this page">')[2].partition("</nav>")[0]
    assert re.findall(r'href="#([^"]+)"', contents) == ["study-1", "study-2"]
    assert contents.count("29.546 ms at batch 1") == 2
    assert "<nav" not in report_page([of_nh_tts()], "1")


def test_designs_with_the_score_of_the_best_are_counted_beside_it() -> None:
    page = report_page([reported(load_spec(SPECS / "equal_partitions.yaml"), wishes=QUICK)], "1")
    assert '<span class="ties">= 7 other candidates</span>' in page
    assert 'class="ties"' not in report_page([of_nh_tts()], "1")


def test_a_result_file_without_counts_has_each_rule_with_how_many_it_excludes() -> None:
    causes = [[("MEM-01", "no entry")], [("EVI-01", "no record"), ("MEM-01", "another entry")]]
    told = [[{"rule": rule, "because": because} for rule, because in each] for each in causes]
    excluded = [{"id": f"m:A@{number}", "causes": each} for number, each in enumerate(told)]
    batch = {"batch": 1, "objective": "first_publication", "best": [], "ranking": [], "excluded": excluded, "notes": []}
    result = {"megasolve": "result/v1", "spec": "s", "device": "d", "version": "1", "results": [batch]}
    plan = plan_of_text("plan.json", json.dumps(result))
    (view,) = frozen_view(ResultFile("plan.json", plan), "study-1", "1").batches
    assert [(one.rule, one.candidates, one.example, one.message) for one in view.excluded] == [
        ("MEM-01", 2, "m:A@0", "no entry"),
        ("EVI-01", 1, "m:A@1", "no record"),
    ]
