"""Field cases that profiles decide once they are read: hidden kernels, impossible durations, shifted annotations."""

from __future__ import annotations

import pytest

from megasolve.contracts.observe.observation import Attribution, GroupRule
from megasolve.contracts.observe.observe import observe
from megasolve.contracts.profiles import Granularity, GraphReplay, ProfileRefused, Site, Span
from tests.support.profiles.executions import US, execution, in_a_row, kernel, span

_ALL = Attribution((GroupRule("B"),))

# C56: a graph replay as one opaque block of 5.7 ms.


def replay(duration_us: int = 5700) -> GraphReplay:
    """Return one replay on the device of the kernels."""
    return GraphReplay(Site(0, 1, 7, 1), 0, duration_us * US, 1)


def test_c56_a_graph_level_trace_gives_no_kernel_and_says_how_to_record_one() -> None:
    with pytest.raises(ProfileRefused) as refused:
        observe([execution(granularity=Granularity.GRAPH, replays=(replay(),))], _ALL)
    assert str(refused.value) == (
        "run.sqlite: graph-level trace: 1 graph replay (5,700.000 us) without its kernels, so neither those nor their launch cost can be "
        "learnt; record again with --cuda-graph-trace=node"
    )


def test_c56_a_few_kernels_beside_the_replay_do_not_make_it_one_operator() -> None:
    with pytest.raises(ProfileRefused, match="graph-level trace: 2 graph replays"):
        observe([execution(in_a_row(("a", 1)), granularity=Granularity.GRAPH, replays=(replay(), replay()))], _ALL)


def test_c56_the_same_run_at_node_level_has_all_its_kernels() -> None:
    found = observe([execution(in_a_row(*[("gemm", 11)] * 500))], _ALL)
    assert found.kernels[0].launches == 500


# C58: durations of zero.


def test_c58_a_kernel_without_any_positive_duration_is_an_error_that_names_kernel_and_row() -> None:
    launches = [kernel("gemm", 0, 5), kernel("copy", 10, 0), kernel("copy", 20, 0)]
    with pytest.raises(ProfileRefused, match="row 10: kernel 'copy' has no positive duration in 2 launches"):
        observe([execution(launches)], _ALL)


# C59: the prefill's 40 us under the last decode, where the prefill has the first decode's 6 us.


def iterations(prefill_us: int, *decodes_us: int) -> list[str]:
    """Return what is said about a run of one prefill and several decodes."""
    start, kernels = 0, []
    for name, duration_us in [("prefill", prefill_us), *((f"decode {n}", one) for n, one in enumerate(decodes_us))]:
        kernels.append(kernel("gemm", start, duration_us, Span(name, start, start + 1)))
        start += duration_us
    rules = (GroupRule("P", ranges=("prefill",)), GroupRule("B", ranges=("decode *",)))
    return [note for note in observe([execution(kernels)], Attribution(rules)).notes if "shifted" in note]


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


def test_c60_an_annotation_without_kernels_is_no_evidence_of_a_group() -> None:
    of = execution(in_a_row(("gemm", 5)), annotations=(span("codec", 0, 5),))
    assert [one.group for one in observe([of], Attribution((GroupRule("C", ranges=("codec",)), GroupRule("B")))).groups] == ["B"]
