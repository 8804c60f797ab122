"""The candidate space: covers, policies and ids (paper, section IV-A)."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from megasolve.contracts import Spec, load_spec
from megasolve.solver import candidates, covers, policies
from tests.support.planning.studies import SPECS

names = st.lists(st.text("ABCDEFGHIJ", min_size=1, max_size=3), min_size=1, max_size=7, unique=True)


def spec(name: str = "nh_tts") -> Spec:
    return load_spec(SPECS / f"{name}.yaml").spec.value


@given(names)
def test_there_are_two_times_three_to_the_n_minus_one_covers(groups: list[str]) -> None:
    assert len(set(covers(groups))) == 2 * 3 ** (len(groups) - 1)


@given(names)
def test_a_cover_is_an_ordered_partition_of_the_groups(groups: list[str]) -> None:
    for cover in covers(groups):
        assert [group for region in cover.regions for group in region.groups] == groups
        assert all(region.groups for region in cover.regions)


def test_nh_tts_has_the_candidates_of_the_paper() -> None:
    found = list(candidates(spec()))
    by_policy = Counter(candidate.policy.sharing.value for candidate in found)
    assert by_policy == {"serial": 54, "fixed": 6 * 3, "dynamic": 3 * 3}
    assert len(found) == 81


def test_a_fixed_split_has_six_covers_and_a_dynamic_one_three() -> None:
    found = {kind: {str(one.cover) for one in candidates(spec()) if one.policy.sharing.value == kind} for kind in ("fixed", "dynamic")}
    separate = {"c:P/m:B+L/m:C", "m:P/m:B+L/m:C", "m:P+B+L/m:C"}
    assert found["dynamic"] == separate
    assert found["fixed"] == separate | {"c:P/m:B+L+C", "m:P/m:B+L+C", "m:P+B+L+C"}


def test_ids_are_canonical_and_safe_in_a_shell() -> None:
    ids = [str(candidate) for candidate in candidates(spec())]
    assert len(set(ids)) == 81
    assert {"m:P/m:B+L/m:C@dynamic:88/44", "c:P/c:B/c:L/c:C@serial", "m:P+B+L+C@fixed:88/44"} <= set(ids)
    assert set("".join(ids)) <= set("PBLCcm:/+@serialfixeddynamic0123456789")


def test_policies_come_serial_first_then_fixed_then_dynamic_in_the_order_of_the_pairs() -> None:
    pairs = ("88/44", "80/52", "72/60")
    expected = ["serial", *(f"fixed:{pair}" for pair in pairs), *(f"dynamic:{pair}" for pair in pairs)]
    assert [str(policy) for policy in policies(spec())] == expected


def test_without_a_consumer_only_serial_candidates_exist() -> None:
    found = [str(one) for one in candidates(spec("published/llama_1b_decode"))]
    assert found == ["c:D@serial", "m:D@serial"]


@pytest.mark.parametrize(("allowed", "count"), [(("serial",), 54), (("fixed",), 18), (("dynamic",), 9), (("fixed", "dynamic"), 27)])
def test_a_spec_may_allow_fewer_policies(allowed: tuple[str, ...], count: int) -> None:
    assert len(list(candidates(spec().model_copy(update={"policies": allowed})))) == count
