from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from megasolve.contracts.profiles.kineto.json_stream import BrokenJson, JsonStream

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

TEXT = '{"schemaVersion": 1, "events": [ {"name": "a\\u00e9é\\n", "ts": 1.250}, 17, null, [], {"n": [1, {"b": true}]} ], "end": "x"}'

KEYS = st.text(max_size=4)
SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8)


class _Drops(io.RawIOBase):
    """Bytes that come a few at a time."""

    def __init__(self, content: bytes, at_once: int) -> None:
        self._rest = content
        self._at_once = at_once

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        given, self._rest = self._rest[: self._at_once], self._rest[self._at_once :]
        memoryview(buffer)[: len(given)] = given
        return len(given)


def streamed(content: bytes | str, *, at_once: int = 2**20, recover: bool = False) -> tuple[JsonStream, dict[str, Any]]:
    encoded = content.encode() if isinstance(content, str) else content
    text = JsonStream(io.BufferedReader(_Drops(encoded, at_once), buffer_size=at_once), recover=recover)
    return text, {key: list(found) if key == "events" else found for key, found in text.members("events")}


def broken(content: bytes | str, *, at_once: int = 2**20) -> BrokenJson:
    with pytest.raises(BrokenJson) as caught:
        streamed(content, at_once=at_once)
    return caught.value


@given(
    members=st.dictionaries(KEYS.filter(lambda key: key != "events"), VALUES, max_size=3),
    events=st.lists(VALUES),
    at_once=st.integers(1, 40),
)
@settings(max_examples=60)
def test_a_text_reads_as_the_whole_of_it_would_however_it_is_cut_into_chunks(
    members: dict[str, object], events: list[object], at_once: int
) -> None:
    whole = {**members, "events": events}

    assert streamed(json.dumps(whole, ensure_ascii=False), at_once=at_once)[1] == whole
    assert streamed(json.dumps(whole, indent=2), at_once=at_once)[1] == whole


@pytest.mark.parametrize("at_once", [3, 2**20])
def test_a_text_that_ends_too_early_is_truncated_wherever_it_ends(at_once: int) -> None:
    encoded = TEXT.encode()
    for length in range(1, len(encoded)):
        assert "is truncated" in broken(encoded[:length], at_once=at_once).reason, encoded[:length]


@pytest.mark.parametrize("at_once", [3, 2**20])
def test_a_character_too_many_is_found_at_its_byte(at_once: int) -> None:
    encoded = TEXT.encode()
    for at in (0, 1, 16, encoded.index(b"17"), encoded.index(b"]"), encoded.index(b'"end"'), len(encoded)):
        fault = broken(encoded[:at] + b"!" + encoded[at:], at_once=at_once)

        assert fault.offset_bytes == at
        assert f"malformed JSON at byte {at:,}" in fault.reason


def test_a_quote_that_is_not_escaped_is_found_behind_the_text_that_it_ends() -> None:
    text = '{"events": [{"name": "{"device": 1}"}]}'

    assert broken(text).offset_bytes == text.index("device")


def test_decimals_keep_every_digit() -> None:
    text = '{"events": [1712195495519695.812, 1e3, -0.000000000000000000001, 1747101234567890]}'

    assert streamed(text)[1]["events"] == ["1712195495519695.812", "1e3", "-0.000000000000000000001", 1747101234567890]


@pytest.mark.parametrize("at_once", range(1, 9))
def test_a_number_that_goes_on_in_the_next_chunk_is_one_number(at_once: int) -> None:
    assert streamed("[1234567890,-1.25e-3,0]", at_once=at_once)[1] == {"events": [1234567890, "-1.25e-3", 0]}


def test_a_bare_array_is_the_member_that_is_streamed() -> None:
    assert streamed('[{"ph": "X"}, 2]')[1] == {"events": [{"ph": "X"}, 2]}


@pytest.mark.parametrize("text", ["[]", " [ ] ", '{"events": []}'])
def test_an_empty_array_has_no_elements(text: str) -> None:
    assert streamed(text)[1] == {"events": []}


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_is_refused(constant: str) -> None:
    fault = broken(f'{{"events": [{{"dur": {constant}}}]}}')

    assert fault.offset_bytes == 12
    assert f"{constant} is no number" in fault.reason


def test_a_number_of_too_many_digits_is_refused() -> None:
    assert broken("[" + "1" * 5000 + "]").reason.endswith("at byte 1: in the value that starts there, a number has thousands of digits")


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert streamed('\ufeff{"events": [1]}')[1] == {"events": [1]}
    assert broken("\ufeff[1 2]").offset_bytes == len("\ufeff[1 ".encode())


def test_deep_nesting_is_refused() -> None:
    assert "nested too deeply" in broken('{"events": [' + "[" * 200_000).reason


def test_a_value_of_more_than_16_million_characters_is_refused() -> None:
    fault = broken('{"events": ["' + "x" * (18 * 2**20) + '"]}')

    assert "one value is longer than 16,777,216 characters" in fault.reason
    assert fault.offset_bytes == 12


def test_bytes_that_are_no_utf8_are_refused_at_their_place() -> None:
    fault = broken(b'{"events": ["\xc3\xa9", "\xff"]}', at_once=4)

    assert fault.reason == "is not UTF-8 text at byte 19"
    assert fault.offset_bytes == 19


def test_an_empty_text_is_said_to_be_empty() -> None:
    assert broken("").reason == "is empty"
    assert "is truncated" in broken(" \n").reason


def test_the_offset_of_a_value_counts_bytes_not_characters() -> None:
    content = '{"events": ["éé", "b"]}'.encode()
    text = JsonStream(io.BufferedReader(_Drops(content, 3), buffer_size=3))

    offsets = [text.offset_bytes for _, events in text.members("events") for _ in events]

    assert offsets == [content.index(b'"\xc3'), content.index(b'"b"')]


def test_recovery_goes_on_at_the_next_event_and_counts_the_lost_ones() -> None:
    events = ['{"ph": "X", "n": 1}', '{"ph": "X", "name": "a"b"}', '{"ph": "X", "n": 3}', '{"name": }', '{"name": "e"}']
    text, found = streamed('{"events": [' + ", ".join(events) + '], "end": 1}', at_once=7, recover=True)

    assert found == {"events": [{"ph": "X", "n": 1}, {"ph": "X", "n": 3}, {"name": "e"}], "end": 1}
    assert text.lost == 2
    assert not text.is_cut


def test_recovery_keeps_what_stands_before_the_end_of_a_cut_text() -> None:
    text, found = streamed('{"events": [{"ph": "X", "n": 1}, {"ph": "X", "na', recover=True)

    assert found == {"events": [{"ph": "X", "n": 1}]}
    assert text.lost == 1
    assert text.is_cut


def test_recovery_takes_control_characters_and_bytes_that_are_no_utf8() -> None:
    text, found = streamed(b'{"events": [{"name": "a\nb"}, {"name": "\xff"}]}', recover=True)

    assert [event["name"] for event in found["events"]] == ["a\nb", "\udcff"]
    assert text.lost == 0
