"""Folding: what is said of many entries in the same words is said once, with their count."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from megasolve.solver import Ranked

NAMED = 3
_QUOTED = re.compile(r"'([^']+)'")


def folded_notes(rows: Sequence[Ranked]) -> dict[str, str]:
    """Return, for each note of *rows*, the text that stands for it and for those that differ from it only in the entry."""
    entries = {usage.contract.entry for row in rows for usage in row.composed.usages}
    return folded((note for row in rows for note in row.notes), entries)


def folded(notes: Iterable[str], entries: Collection[str]) -> dict[str, str]:
    """Return the text for each of *notes*: those that say the same of several of *entries*, each in quotes, share one."""
    alike: dict[tuple[str, str], dict[str, str]] = {}
    found: dict[str, str] = {}
    for note in dict.fromkeys(notes):
        name = next((quoted for quoted in _QUOTED.findall(note) if quoted in entries), None)
        if name is None:
            found[note] = note
        else:
            before, _, after = note.partition(f"'{name}'")
            alike.setdefault((before, after), {})[name] = note
    return found | dict(_shared(alike))


def _shared(alike: Mapping[tuple[str, str], Mapping[str, str]]) -> Iterable[tuple[str, str]]:
    for (before, after), notes in alike.items():
        text = f"{before}{entries_phrase(list(notes))}{after}"
        yield from ((note, text) for note in notes.values())


def entries_phrase(entries: Sequence[str]) -> str:
    """Return one entry in quotes; of several how many they are, and the first of them."""
    if len(entries) == 1:
        return f"'{entries[0]}'"
    # "and 1 more" would be as long as its name.
    shown = entries if len(entries) == NAMED + 1 else entries[:NAMED]
    more = f" and {len(entries) - len(shown):,} more" if len(entries) > len(shown) else ""
    named = ", ".join(f"'{entry}'" for entry in shown)
    return f"{len(entries):,} entries ({named}{more})"
