"""Differences between schedules: when other groups run in the one than in the other."""

from __future__ import annotations

from megasolve.report.page.differences import differences
from megasolve.solver.timeline.timeline import Chart, DrawnSpan, SpanKind, Track


def chart(*spans: tuple[str, int, int], **tracks: tuple[tuple[str, int, int], ...]) -> Chart:
    named = {"A": spans, **tracks}
    return Chart("id", tuple(Track(name, tuple(map(task, each))) for name, each in named.items()))


def task(of: tuple[str, int, int]) -> DrawnSpan:
    group, start, end = of
    return DrawnSpan(group, SpanKind.TASK, start, end, groups=((group, 1),))


def test_a_schedule_does_not_differ_from_itself() -> None:
    one = chart(("P", 0, 10), ("B", 10, 30))
    assert list(differences(one, one)) == []


def test_on_which_track_a_group_runs_is_no_difference() -> None:
    assert list(differences(chart(("P", 0, 10)), chart(other=(("P", 0, 10),)))) == []


def test_what_runs_longer_differs_until_both_run_the_same_again() -> None:
    assert list(differences(chart(("P", 0, 10), ("B", 10, 30)), chart(("P", 0, 14), ("B", 14, 30)))) == [(10, 14)]


def test_what_runs_beside_differs_while_it_does() -> None:
    assert list(differences(chart(("B", 0, 30)), chart(("B", 0, 30), C=(("C", 5, 8), ("C", 20, 30))))) == [(5, 8), (20, 30)]


def test_what_goes_on_behind_the_end_of_the_other_differs_to_its_own_end() -> None:
    assert list(differences(chart(("B", 0, 30)), chart(("B", 0, 40)))) == [(30, 40)]
    assert list(differences(chart(("B", 0, 40)), chart(("B", 0, 30)))) == []


def test_launches_and_waits_are_no_groups() -> None:
    held = Chart("id", (Track("A", (DrawnSpan("held", SpanKind.HELD, 0, 50), task(("B", 0, 30)))),))
    assert list(differences(chart(("B", 0, 30)), held)) == []
