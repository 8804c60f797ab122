from __future__ import annotations

from megasolve.contracts.observe.attribution import attribute, matching_rule
from megasolve.contracts.observe.observation import AttributedBy, GroupRule
from megasolve.contracts.observe.observe import observe
from megasolve.contracts.observe.timelines.timeline import timeline
from megasolve.contracts.profiles import Kernel
from tests.support.profiles.executions import execution, in_a_row, kernel, span


def groups(kernels: list[Kernel], *rules: GroupRule) -> list[str | None]:
    """Return the group of each kernel."""
    found = attribute(timeline(execution(kernels)), rules, ()).rules
    return [None if number is None else rules[number].group for number in found]


_PREFILL, _DECODE = span("prefill", 0, 5), span("decode 7", 5, 9)
_KERNELS = [kernel("gemm", 0, 1, _PREFILL), kernel("gemm", 2, 1, _DECODE), kernel("attention", 4, 1, _DECODE), kernel("sample", 6, 1)]


def test_annotations_decide_where_a_rule_asks_for_them() -> None:
    assert groups(_KERNELS, GroupRule("P", ranges=("prefill",)), GroupRule("B", ranges=("decode*",))) == ["P", "B", "B", None]


def test_names_decide_where_a_rule_asks_for_them() -> None:
    assert groups(_KERNELS, GroupRule("A", names=("att*", "sam*"))) == [None, None, "A", "A"]


def test_a_rule_with_both_asks_for_both() -> None:
    assert groups(_KERNELS, GroupRule("B", ranges=("decode*",), names=("gemm",))) == [None, "B", None, None]


def test_the_rule_without_any_pattern_takes_the_rest_wherever_it_stands() -> None:
    assert groups(_KERNELS, GroupRule("B"), GroupRule("P", ranges=("prefill",))) == ["P", "B", "B", "B"]


def test_an_inner_annotation_counts_as_much_as_an_outer_one() -> None:
    nested = kernel("gemm", 0, 1, span("model"), span("layer 3"), span("codebook 2"))
    assert groups([nested], GroupRule("L", ranges=("codebook*",))) == ["L"]


def test_the_first_rule_that_matches_wins_and_it_is_said() -> None:
    rules = (GroupRule("B", ranges=("decode*",)), GroupRule("A", names=("attention",)))
    assert groups(_KERNELS, *rules) == [None, "B", "B", None]
    notes = attribute(timeline(execution(_KERNELS)), rules, ()).notes
    assert notes == ("1 launch matches the rules of B and A; the first of them took it", "no launch matches the rule of group A")


def test_two_rules_of_one_group_are_no_contest() -> None:
    rules = (GroupRule("B", ranges=("decode*",)), GroupRule("B", names=("attention", "sample")))
    found = attribute(timeline(execution(_KERNELS)), rules, ())
    assert found.rules == (None, 0, 0, 1)
    assert found.notes == ()


def test_a_glob_is_about_the_whole_name_in_its_own_case() -> None:
    assert groups([kernel("Gemm", 0, 1), kernel("xgemm", 2, 1)], GroupRule("B", names=("gemm",))) == [None, None]


def test_a_kernel_name_with_brackets_matches_itself() -> None:
    name = "void f<float[2]>(char const*)"
    assert groups([kernel(name, 0, 1)], GroupRule("B", names=(name,))) == ["B"]


def test_where_only_names_are_known_rules_with_ranges_never_match() -> None:
    rules = (GroupRule("P", ranges=("*",)), GroupRule("A", names=("att*",)), GroupRule("B"))
    assert [matching_rule(name, rules) for name in ("attention", "gemm")] == [1, 2]
    assert matching_rule("gemm", rules[:2]) is None


def test_c60_an_annotation_without_kernels_is_no_evidence_of_a_group() -> None:
    of = execution(in_a_row(("gemm", 5)), annotations=(span("codec", 0, 5),))
    assert [one.group for one in observe([of], AttributedBy((GroupRule("C", ranges=("codec",)), GroupRule("B")))).groups] == ["B"]
