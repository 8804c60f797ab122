"""What constraints mention: groups and entries that a study must have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..files.study import Study
from ..model.closest import nearest
from ..model.spec import Constraints
from ..model.wording import KeyPath, one_of

_MOST_NAMED = 12
Mention = tuple[KeyPath, str]


def unknown_mentions(study: Study, said: Constraints) -> Iterator[tuple[KeyPath, str]]:
    """Yield, for each group and entry in *said* that *study* does not have, its path inside the constraints and what is wrong."""
    groups = [group.name for group in study.spec.value.groups]
    contracts = [document.value for document in study.all_contracts]
    entries = {name: None for one in contracts for name in (one.entry, one.implementation) if name}
    yield from _unknown(_groups(said), groups, f"no group of spec '{study.spec.value.name}'")
    yield from _unknown(_entries(said), [*entries], "no entry, and no implementation, of the contracts of this spec")
    for group, entry in said.entries.items():
        running = [name for one in contracts if group in one.members for name in (one.entry, one.implementation) if name]
        if group in groups and entry in entries and entry not in running:
            yield ("entries", group), f"'{entry}' does not run group {group}; there are {_named(running)}"


def _groups(said: Constraints) -> Iterator[Mention]:
    yield from ((("conventional", index), name) for index, name in enumerate(said.conventional))
    yield from ((("entries", name), name) for name in said.entries)
    for key, lists in (("together", said.together), ("apart", said.apart)):
        yield from (((key, index, at), name) for index, names in enumerate(lists) for at, name in enumerate(names))


def _entries(said: Constraints) -> Iterator[Mention]:
    yield from ((("entries", group), name) for group, name in said.entries.items())
    for index, one in enumerate(said.requires):
        yield from ((("requires", index, key), name) for key, name in (("entry", one.entry), ("needs", one.needs)))
    yield from ((("excludes", index, at), name) for index, names in enumerate(said.excludes) for at, name in enumerate(names))


def _unknown(mentioned: Iterator[Mention], known: Sequence[str], what: str) -> Iterator[Mention]:
    for path, name in mentioned:
        if name not in known:
            yield path, f"'{name}' is {what}{nearest(name, known)}"


def _named(names: Sequence[str]) -> str:
    shown = list(dict.fromkeys(names))
    return one_of(shown[:_MOST_NAMED]) if shown else "none"
