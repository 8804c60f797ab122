"""Annotations that may be shifted by an iteration; a case from the field."""

from __future__ import annotations

from megasolve.contracts.observe.observation import AttributedBy, GroupRule
from megasolve.contracts.observe.observe import observe
from megasolve.contracts.profiles import Span
from tests.support.profiles.executions import execution, kernel


# C59: the prefill's 40 us under the last decode, where the prefill has the first decode's 6 us.
def iterations(prefill_us: int, *decodes_us: int) -> list[str]:
    """Return what is said about a run of one prefill and several decodes."""
    start, kernels = 0, []
    for name, duration_us in [("prefill", prefill_us), *((f"decode {n}", one) for n, one in enumerate(decodes_us))]:
        kernels.append(kernel("gemm", start, duration_us, Span(name, start, start + 1)))
        start += duration_us
    rules = (GroupRule("P", ranges=("prefill",)), GroupRule("B", ranges=("decode *",)))
    return [note for note in observe([execution(kernels)], AttributedBy(rules)).notes if "shifted" in note]


def test_c59_an_admission_cheaper_than_a_step_beside_a_step_like_an_admission_is_questioned() -> None:
    (note,) = iterations(6, 6, 6, 40)
    assert note == (
        "group P takes 6.000 us, no more than group B (6.000 us), of which 1 occurrence of 3 took up to 40.000 us: the annotations may be "
        "shifted by an iteration"
    )


def test_c59_times_under_their_own_annotations_are_not_questioned() -> None:
    assert iterations(40, 6, 6, 6) == []


def test_c59_a_cheap_admission_beside_equal_steps_is_not_questioned() -> None:
    assert iterations(4, 6, 6, 6) == []


def test_c59_several_slow_steps_are_no_sign_of_one_shifted_admission() -> None:
    assert iterations(6, 6, 6, 6, 40, 40) == []
