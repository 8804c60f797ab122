"""The marks that profilers write for steps are its steps, where nobody says otherwise."""

from __future__ import annotations

from collections.abc import Iterable

from megasolve.contracts.observe import AttributedBy, GroupRule, Observation, StepsBy, observe
from megasolve.contracts.profiles import Kernel, LaunchCall, Span
from tests.support.profiles.executions import US, execution, in_a_row, kernel, span


def seen(kernels: Iterable[Kernel], steps: StepsBy | None = None) -> Observation:
    """Return what is observed of *kernels*, all of one group."""
    rules = (GroupRule("step"),)
    return observe([execution(kernels)], AttributedBy(rules) if steps is None else AttributedBy(rules, steps))


def steps_of(name: str, *, inner: str | None = None, count: int = 3) -> list[Kernel]:
    """Return *count* steps 100 microseconds apart, of two kernels of 10; an *inner* mark has the second one alone."""
    kernels = []
    for n in range(count):
        outer = span(f"{name}{n}", 100 * n, 100 * n + 90)
        within = [] if inner is None else [span(f"{inner}{n}", 100 * n + 40, 100 * n + 80)]
        kernels += [kernel("a", 100 * n + 20, 10, outer), kernel("b", 100 * n + 45, 10, outer, *within)]
    return kernels


def test_marks_of_any_profiler_are_the_steps() -> None:
    for name, words in (("ProfilerStep#", "ProfilerStep#*"), ("step[DECODE bs=", "step[[]*"), ("execute_32_context_", "execute_*")):
        found = seen(steps_of(name))
        assert (found.steps, found.steps_by.marks) == (3, words)


def test_a_range_that_only_begins_with_the_word_step_is_no_mark() -> None:
    assert seen(steps_of("step_")).steps_by.is_whole
    assert seen(steps_of("steps[")).steps_by.is_whole


def test_of_several_marks_those_with_the_least_idle_time_before_the_first_kernel_are_taken_and_named() -> None:
    found = seen(steps_of("ProfilerStep#", inner="execute_"))
    assert found.steps_by.marks == "execute_*"
    assert "'execute_*' are its steps; 'ProfilerStep#*' (3 instances) would be, too" in found.notes[0]


def test_of_marks_with_equal_idle_time_the_profilers_own_come_first() -> None:
    def both(n: int) -> list[Span]:
        return [span(f"{name}{n}", 100 * n, 100 * n + 90) for name in ("execute_", "step[x]", "ProfilerStep#")]

    assert seen([kernel("a", 100 * n + 20, 10, *both(n)) for n in range(3)]).steps_by.marks == "ProfilerStep#*"


def test_marks_that_launched_nothing_are_no_steps() -> None:
    kernels = in_a_row(("a", 10), ("b", 10))
    found = observe([execution(kernels, annotations=(span("ProfilerStep#1", 0, 50),))], AttributedBy((GroupRule("step"),)))
    assert found.steps_by.is_whole


def test_whoever_says_where_steps_begin_is_believed() -> None:
    found = seen(steps_of("ProfilerStep#"), StepsBy())
    assert (found.steps, found.steps_by) == (1, StepsBy())
    assert seen(steps_of("ProfilerStep#"), StepsBy(period=2)).steps_by == StepsBy(period=2)


def test_what_ran_before_the_first_mark_is_no_part_of_a_step() -> None:
    found = seen([kernel("b", -40, 10), *steps_of("ProfilerStep#")])
    assert found.left_out[0] == "1 launch (10.000 us) before the first step: of the step before, or of none"
    assert found.span_samples_ps[0] == 35 * US


def test_launches_that_were_called_for_before_the_recording_began_are_no_part_of_the_whole() -> None:
    late = kernel("b", 0, 10)
    own = [one._replace(call=LaunchCall(20 * US, 21 * US)) for one in in_a_row(("a", 10), ("b", 10), start_us=30)]
    assert seen([late, *own]).span_samples_ps == (20 * US,)
    assert seen([late, *own], StepsBy()).span_samples_ps == (50 * US,)
    assert seen([late, kernel("a", 30, 10)]).span_samples_ps == (40 * US,)
