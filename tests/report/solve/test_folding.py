"""What is said of many entries in the same words is said once, with their count, over all rows of a table (case C76)."""

from __future__ import annotations

from megasolve.contracts import Study
from megasolve.report import explanation_text, solve_table
from megasolve.report.solve.folding import folded
from megasolve.solver import Explanation, explain, solve
from tests.support.planning.studies import conventional, group, record, spec, study

BLIND = "the profile does not say: registers"


def blind(*reasons: str, groups: str = "B") -> Study:
    """Return a study of kernels whose launch limits are unverified, each for its reason; each group runs all of them."""
    kernels = [
        conventional(name, entry=f"{name}{index}", order=index, launch={"unverified": reason})
        for name in groups
        for index, reason in enumerate(reasons)
    ]
    known = [record(one, one["members"][0], 1 + index, context={"launch": {}}) for index, one in enumerate(kernels)]
    asked = spec([group(name, "producer") for name in groups], publication={"group": groups[-1], "step": 1}, policies=["serial"])
    return study(asked, kernels, known)


def footnotes(asked: Study) -> list[str]:
    return [line.strip().partition("] ")[2] for line in solve_table(solve(asked)).splitlines() if line.startswith("  [")]


def test_c76_thirty_notes_that_differ_in_the_entry_are_one_with_its_count() -> None:
    assert footnotes(blind(*[BLIND] * 30, "lost"))[1:] == [
        f"launch limits of 30 entries ('B0', 'B1', 'B2' and 27 more) are not verified: {BLIND}",
        "launch limits of 'B30' are not verified: lost",
    ]


def test_rows_with_different_entries_share_one_note() -> None:
    told = [note for note in footnotes(blind(BLIND, BLIND, groups="AB")) if "launch limits" in note]
    assert told == [f"launch limits of 4 entries ('A0', 'A1', 'B0', 'B1') are not verified: {BLIND}"]


def test_json_keeps_a_note_for_each_entry() -> None:
    (row,) = solve(blind(BLIND, BLIND)).results[0].ranking
    assert [note[:21] for note in row.notes] == ["launch limits of 'B0'", "launch limits of 'B1'"]


def test_an_explanation_folds_its_own_notes() -> None:
    found = explain(blind(BLIND, BLIND), "c:B@serial")
    assert isinstance(found, Explanation)
    told = explanation_text(found, spec="model", device="h100")
    assert f"note: launch limits of 2 entries ('B0', 'B1') are not verified: {BLIND}\n" in told


def test_a_quoted_word_that_is_no_entry_folds_nothing() -> None:
    notes = ["what 'a' says of 'x'", "what 'b' says of 'x'", "nothing quoted"]
    assert folded(notes, {"x"}) == dict(zip(notes, notes, strict=True))
    assert set(folded(notes[:2], {"a", "b"}).values()) == {"what 2 entries ('a', 'b') says of 'x'"}
