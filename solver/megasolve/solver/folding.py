"""Folding: what is said of many entries in the same words is said once, with their count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

NAMED = 3


def folded(notes: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield notes of entries in order, those once that differ only in the entry; each is (entry, text with the entry in quotes)."""
    alike: dict[tuple[str, str], list[str]] = {}
    for entry, note in notes:
        before, _, after = note.partition(f"'{entry}'")
        alike.setdefault((before, after), []).append(entry)
    for (before, after), entries in alike.items():
        yield f"{before}{entries_phrase(list(dict.fromkeys(entries)))}{after}"


def entries_phrase(entries: Sequence[str]) -> str:
    """Return one entry in quotes; of several how many they are, and the first of them."""
    if len(entries) == 1:
        return f"'{entries[0]}'"
    # "and 1 more" would be as long as its name.
    shown = entries if len(entries) == NAMED + 1 else entries[:NAMED]
    more = f" and {len(entries) - len(shown):,} more" if len(entries) > len(shown) else ""
    named = ", ".join(f"'{entry}'" for entry in shown)
    return f"{len(entries):,} entries ({named}{more})"
