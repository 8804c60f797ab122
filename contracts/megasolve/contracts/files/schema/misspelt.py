"""What an unknown key may have meant: another unit, another section, or another spelling."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...model.base import Frozen
from ...model.closest import closest
from ...model.wording import KeyPath, in_section
from .shape import field_keys, section_at, sections
from .units import unit_hint


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The repair of an unknown key in words and, where one key of the same mapping was meant, that key.

    *meant* has the paths at which its value may be missing.
    """

    text: str
    key: str | None = None
    meant: tuple[KeyPath, ...] = ()


def suggestion(model: type[Frozen], path: KeyPath, tree: Any = None) -> Suggestion:
    """Return the most likely repair of the unknown key at *path* of the file *tree* of *model*."""
    section = section_at(model, path[:-1], tree)
    known = list(field_keys(section)) if section is not None else []
    return _own_unit(path, known) or _other_section(model, path) or _own_spelling(path, known) or _allowed(known)


def _own_unit(path: KeyPath, known: list[str]) -> Suggestion | None:
    hint = unit_hint(str(path[-1]), known)
    if hint is None:
        return None
    law, names = hint
    return Suggestion(f"{law}: write {' or '.join(map(repr, names))}", names[0] if len(names) == 1 else None, _beside(path, names))


def _other_section(model: type[Frozen], path: KeyPath) -> Suggestion | None:
    here = tuple(step for step in path[:-1] if isinstance(step, str))
    places = [place for place, section in sections(model) if path[-1] in field_keys(section) and place != here]
    if not places:
        return None
    # Inside the section that holds the key first, then the nearest ones outside.
    nearest = min(places, key=lambda place: (place[: len(here)] != here, len(place)))
    return Suggestion(f"it belongs {in_section(nearest)}", meant=((*nearest, path[-1]),))


def _own_spelling(path: KeyPath, known: list[str]) -> Suggestion | None:
    close = closest(plain_key(str(path[-1])), known)
    return Suggestion(f"did you mean {close!r}?", close, _beside(path, [close])) if close else None


def _beside(path: KeyPath, keys: Iterable[str]) -> tuple[KeyPath, ...]:
    return tuple((*path[:-1], key) for key in keys)


def _allowed(known: list[str]) -> Suggestion:
    return Suggestion(f"allowed here: {', '.join(key for key in known if key != 'megasolve')}" if known else "no keys are allowed here")


def plain_key(key: str) -> str:
    """Return *key* as keys are spelled here: in small letters, with `_` between its words."""
    return key.strip().lower().replace("-", "_").replace(" ", "_")
