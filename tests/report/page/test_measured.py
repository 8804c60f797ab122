"""What was measured stands beside the ranking of a page, with what is predicted of the same, and marked as no part of a score."""

from __future__ import annotations

import re

from megasolve.report.page.page import report_page
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


def test_a_page_without_measured_runs_says_nothing_of_them() -> None:
    assert "Measured beside" not in page_of()


def test_a_run_that_stands_beside_no_row_is_a_note() -> None:
    page = page_of(measured_run(device="h200"))
    assert "Measured beside these" not in page
    assert "it ran on h200, the plan is for h100" in page
