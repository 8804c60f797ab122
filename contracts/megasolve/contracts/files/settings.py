"""Settings: fields that a question asks of with other values than the files have."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from ..model.base import Place, Tree
from ..model.wording import KeyPath, path_text, shown


@dataclass(frozen=True, slots=True)
class SetField:
    """One field that was set: where it stands, and what the file has there, None where it has nothing."""

    file: str
    path: KeyPath
    place: Place
    before: Tree

    def __str__(self) -> str:
        return f"{self.place} {path_text(self.path)} (in the file: {plain_text(self.before)})"


@dataclass(frozen=True, slots=True)
class Setting:
    """A *value* in place of what the files have at *path*: a study that has one is a what-if, and no plan of its files.

    *fields* are all that *path* names.
    """

    path: str
    value: Tree
    fields: tuple[SetField, ...]

    def __str__(self) -> str:
        return f"{self.path} = {plain_text(self.value)}"


def plain_text(value: Tree) -> str:
    """Return *value* as a person writes it, a number without zeros behind it."""
    if isinstance(value, Decimal) and value.is_finite():
        return shown(value.normalize() if value else Decimal(0))
    return shown(value)
