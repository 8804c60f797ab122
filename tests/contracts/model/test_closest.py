"""The nearest name, in the words of a message."""

from __future__ import annotations

from megasolve.contracts.model.closest import nearest


def test_the_nearest_name_is_named_whatever_its_case() -> None:
    assert nearest("DECODE", ["decode", "codec"]) == "; did you mean 'decode'?"


def test_without_a_near_name_all_are_listed_in_order() -> None:
    assert nearest("x", ["codec", "attention"]) == "; known: attention, codec"
    assert nearest("x", []) == "; known: none"
