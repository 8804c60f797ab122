"""JSON as text: what a terminal would obey is an escape, letters of every script stand as they are."""

from __future__ import annotations

import json

import pytest

from megasolve.report import json_text


@pytest.mark.parametrize("char", ["\x1b", "\x7f", "\x9b", "\u202e", "\u2028", "\ufeff", "\ud800", "\U000e0001"])
def test_what_a_terminal_obeys_or_does_not_show_is_an_escape_of_the_same_text(char: str) -> None:
    text = json_text({"name": f"a{char}b"})
    assert char not in text
    assert json.loads(text) == {"name": f"a{char}b"}


def test_letters_of_every_script_stand_as_they_are() -> None:
    assert json_text({"é": "日本 µs 🚀"}) == '{\n  "é": "日本 µs 🚀"\n}\n'


def test_what_github_takes_for_a_command_is_an_escape_of_the_same_text() -> None:
    text = json_text({"##[error]name": "a\\##[error]b"})
    assert "##[" not in text
    assert json.loads(text) == {"##[error]name": "a\\##[error]b"}
