"""The region graph of a design, and the independent groups whose order decides its score."""

from __future__ import annotations

from megasolve.contracts import Study
from megasolve.report import explanation_json, explanation_text
from megasolve.solver import Explanation, explain
from tests.solver.select.test_graphs import APART, planned
from tests.support.planning.studies import conventional, group, record, spec, study


def explained(asked: Study, name: str) -> Explanation:
    answer = explain(asked, name)
    assert isinstance(answer, Explanation)
    return answer


def ahead_or_behind(first: str, second: str) -> Study:
    """Return a study of two independent encoders, one (H) all host and the other (D) all device, and what waits for both."""
    host = {"kind": "stream", "host_waits": False, "host_us": 10, "exposed_us": 0}
    free = {"kind": "stream", "host_waits": False, "host_us": 0, "exposed_us": 0}
    contracts = [conventional("H", dispatch=host), conventional("D", dispatch=free), conventional("P", dispatch=free)]
    times = {"H": 0.000001, "D": 10, "P": 0.000001}
    edges = [{"from": "H", "to": "P"}, {"from": "D", "to": "P"}]
    names = (first, second, "P")
    asked = spec([group(name, "admission") for name in names], edges=edges, publication={"group": "P"}, policies=["serial"])
    return study(asked, contracts, [record(one, one["members"][0], times[one["members"][0]]) for one in contracts])


def test_an_exchange_of_independent_groups_that_changes_the_score_is_named() -> None:
    slow = explained(ahead_or_behind("H", "D"), "c:H/c:D/c:P@serial")
    assert slow.picture is not None
    (exchange,) = slow.picture.exchanges
    assert (exchange.first, exchange.second) == ("H", "D")
    fast = explained(ahead_or_behind("D", "H"), "c:D/c:H/c:P@serial")
    assert exchange.score_ps == fast.row.score_ps
    assert slow.row.score_ps - fast.row.score_ps == 10_000_000
    text = explanation_text(slow, spec="model", device="h100")
    assert "H runs before D, as in the spec: the other way round it would take 10.000 µs, 50.00 % faster" in text


def test_an_exchange_that_changes_nothing_is_not_named() -> None:
    picture = explained(planned(), APART).picture
    assert picture is not None
    assert picture.exchanges == ()


def test_the_picture_has_the_groups_as_they_run_with_what_waits_for_them() -> None:
    text = explanation_text(explained(planned(fused=["EB"]), "c:F/m:E+B/c:X/c:L/c:C/c:T@serial"), spec="model", device="h100")
    begin = text.index("region graph")
    assert text[begin : text.index("\n\n", begin)].splitlines() == [
        "region graph, groups as they run, each above what waits for it:",
        "         group  region  role       notes",
        "  o      F      c:F     admission",
        "  │ o    E      m:E+B   admission",
        "  ├─┘",
        "  o      B      m:E+B   producer",
        "  ├─┐",
        "  o │    L      c:L     producer",
        "  ├─┼─┐",
        "  │ o │  X      c:X     producer   publication does not wait for it",
        "  o   │  C      c:C     consumer",
        "      o  T      c:T     consumer",
    ]


def test_a_chain_is_not_drawn() -> None:
    chain = planned(edges="EF FB BX XL LC CT")
    assert explained(chain, APART).picture is None
    assert '"graph"' not in explanation_json(explained(chain, APART), spec="model", device="h100")
