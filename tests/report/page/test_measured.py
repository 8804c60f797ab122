"""What was measured stands beside the ranking of a page, with what is predicted of the same, and marked as no part of a score."""

from __future__ import annotations

import json
import re

import pytest

from megasolve.report.page.frozen import ResultFile
from megasolve.report.page.page import report_page
from megasolve.report.solve.json import solve_json
from megasolve.solver import UnusablePlan, solve
from megasolve.solver.evaluate.forecasts.frozen_plan import plan_of_text
from megasolve.solver.reported.reported import ReportWishes, reported
from tests.solver.select.test_streams import WIDE, kernels, planned
from tests.solver.select.told.test_beside import measured_run, with_runs

QUICK = ReportWishes(is_quick=True)


def page_of(*runs: dict[str, object]) -> str:
    return report_page([reported(with_runs(planned(*kernels(WIDE)), *runs), wishes=QUICK)], "1")


def test_a_measured_pair_stands_below_the_ranking_with_its_candidates() -> None:
    page = page_of(measured_run())
    (section,) = re.findall(r"<h3>Measured beside these scores, in none of them</h3>\s*<ul class=\"said\">(.*?)</ul>", page, re.DOTALL)
    assert "c:B (B_graph) 100.000 µs alone, 410.000 µs beside (4.10 times), predicted" in section
    assert "c:P/c:B/c:C@streams" in section


def frozen_page_of(*runs: dict[str, object]) -> str:
    study = with_runs(planned(*kernels(WIDE)), *runs)
    text = solve_json(solve(study))
    return report_page([ResultFile("plan.json", plan_of_text("plan.json", text))], "1")


def measured_part(page: str) -> list[str]:
    return re.findall(r"<h3>Measured beside these scores.*?</ul>", page, re.DOTALL)


def test_the_page_of_a_result_file_shows_the_same_of_a_co_run_and_of_a_whole_candidate() -> None:
    ran = {"candidate": "c:P/c:B/c:C@streams", "entries": [["P_graph"], ["B_graph"], ["C_graph"]], "samples_us": [500, 530, 510]}
    whole = measured_run(composition=ran | {"places": [1, 1, 1]})
    for run in (measured_run(), whole):
        (shown,) = measured_part(page_of(run))
        assert measured_part(frozen_page_of(run)) == [shown]


def test_the_page_of_a_result_file_says_what_stands_beside_no_row() -> None:
    page = frozen_page_of(measured_run(device="h200"))
    assert measured_part(page) == []
    assert "it ran on h200, the plan is for h100" in page


def test_a_result_file_with_half_a_measured_run_is_refused_in_one_line() -> None:
    study = with_runs(planned(*kernels(WIDE)), measured_run())
    tree = json.loads(solve_json(solve(study)))
    row = next(row for row in tree["results"][0]["ranking"] if "measured" in row)
    del row["measured"][0]["consumer"]
    with pytest.raises(UnusablePlan, match=r"measured\[0\]: value error, a co_run without both sides; write the plan again"):
        plan_of_text("plan.json", json.dumps(tree))


def test_a_page_without_measured_runs_says_nothing_of_them() -> None:
    assert "Measured beside" not in page_of()


def test_a_run_that_stands_beside_no_row_is_a_note() -> None:
    page = page_of(measured_run(device="h200"))
    assert "Measured beside these" not in page
    assert "it ran on h200, the plan is for h100" in page
