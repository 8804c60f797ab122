"""Paths name fields: one or many, stated or not; what names none says why, and the nearest name."""

from __future__ import annotations

from decimal import Decimal

import pytest

from megasolve.contracts import Study, load_spec
from megasolve.contracts.fields.named import is_number, named_fields
from megasolve.contracts.fields.path import UnusableField
from tests.support.command import CHECKOUT


@pytest.fixture(scope="module")
def nh_tts() -> Study:
    return load_spec(CHECKOUT / "specs/nh_tts.yaml")


@pytest.fixture(scope="module")
def llama() -> Study:
    return load_spec(CHECKOUT / "specs/llama_1b.yaml")


def test_a_record_is_named_by_what_tells_it_from_others(nh_tts: Study) -> None:
    (field,) = named_fields(nh_tts, "records[group=B,entry=B+L,budget=88,batch=32].duration_us")
    assert field.value == Decimal(3130)
    assert field.path == ("records", 7, "duration_us")
    assert str(field).endswith("batch_32.yaml:29:37 $.records[7].duration_us")


def test_a_selector_that_matches_several_names_all_of_them_in_the_order_of_files(nh_tts: Study) -> None:
    fields = named_fields(nh_tts, "records[group=B,batch=32].duration_us")
    assert len(fields) == 9
    assert [field.path[1] for field in fields] == sorted(field.path[1] for field in fields)
    assert len(named_fields(nh_tts, "records[evidence=reconstructed].duration_us")) == 84


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("device.hbm_sustained_bytes_per_s", 3_600_000_000_000),
        ("stream.lookahead", 1),
        ("spec.stream.lookahead", 1),
        ("budget_pairs[1].producer_ctas", 80),
        ("contracts[B+L].dispatch.host_us", Decimal(45)),
        ("contracts[entry=B+L].dispatch.host_us", Decimal(45)),
        ("groups[B].role", "producer"),
        ("contracts[B+L].launch.cooperative", True),
    ],
)
def test_every_kind_of_file_has_its_fields(nh_tts: Study, path: str, value: object) -> None:
    assert [field.value for field in named_fields(nh_tts, path)] == [value]


def test_entries_of_lists_inside_lists_are_named_by_name_by_kind_or_all_together(llama: Study) -> None:
    program = "contracts[P_graph].programs"
    assert [one.value for one in named_fields(llama, f"{program}.P.operators[qkv].efficiency")] == [Decimal("0.445")]
    assert len(named_fields(llama, f"{program}[P].operators[kind=matmul].efficiency")) == 5
    assert len(named_fields(llama, f"{program}.P.operators[*].efficiency")) == 6
    assert len(named_fields(llama, f"{program}.P[1].operators.efficiency")) < 6


@pytest.mark.parametrize("path", ["device.sm_bytes_per_s", "device.launch.graph.gap_us", "groups[B].calls", "stream.length_steps"])
def test_what_a_file_may_state_and_does_not_is_a_field_all_the_same(nh_tts: Study, path: str) -> None:
    (field,) = named_fields(nh_tts, path)
    assert field.value is None
    assert is_number(field)


def test_a_field_of_text_is_no_number(nh_tts: Study) -> None:
    assert not any(map(is_number, named_fields(nh_tts, "groups.role")))
    assert not any(map(is_number, named_fields(nh_tts, "contracts[B+L].launch.cooperative")))


@pytest.mark.parametrize(
    ("path", "because"),
    [
        ("stream.lookahed", "no 'lookahed'; did you mean 'lookahead'?"),
        ("device.launch.graph.gapus", "no 'gapus'; did you mean 'gap_us'?"),
        ("records[grp=B].duration_us", "no entry of records has 'grp'; did you mean 'group'?"),
        ("records[group=BB].duration_us", "no entry of records has group 'BB'; did you mean 'B'?"),
        ("records[group=B,batch=7].duration_us", "no entry of records has batch '7'; known: 1, 32, 64"),
        ("records[group=B,entry=L].duration_us", "none of the 84 entries of records has all of records[group=B,entry=L]"),
        ("records[99].duration_us", "records has 84 entries, counted from 0"),
        ("contracts[BL].dispatch.host_us", "no entry of contracts has the name 'BL'; did you mean 'B+L'?"),
        ("device", "names a section, not a field; in it are megasolve, name"),
        ("device.launch", "names a section, not a field; in it are stream, graph, cooperative"),
        ("stream.interleave", "names a section, not a field; in it are steps, frames"),
        ("stream.lookahead.x", "nothing is below the value in front of 'x'"),
        ("stream.lookahead[0]", "lookahead is one value, and nothing can be selected of it"),
        ("device[0].sms", "there is one device, and nothing to select of it: write device.KEY"),
        ("stream..lookahead", "is no path of a field: it breaks off at '.lookahead'"),
        ("stream.lookahead.", "is no path of a field: it breaks off at ''"),
        ("", "is no path of a field"),
        ("records[=B].duration_us", "[=B] selects nothing"),
        ("records[group=].duration_us", "[group=] selects nothing"),
        ("records[].duration_us", "[] selects nothing"),
    ],
)
def test_a_path_that_names_no_field_says_why(nh_tts: Study, path: str, because: str) -> None:
    with pytest.raises(UnusableField) as caught:
        named_fields(nh_tts, path)
    assert because in str(caught.value)


def test_a_key_that_a_mapping_lacks_is_no_field(llama: Study) -> None:
    with pytest.raises(UnusableField, match="programs has no 'Q'; known: P"):
        named_fields(llama, "contracts[P_graph].programs[Q].operators.efficiency")
