"""Switches: mechanisms that are on by default and are switched off by name."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import TypeVar

S = TypeVar("S", bound="Switches")


@dataclass(frozen=True, slots=True)
class Switches:
    """The base of a set of mechanisms: one field that is True by default for each."""

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of all mechanisms."""
        return tuple(one.name for one in fields(cls))

    def without(self: S, *names: str) -> S:
        """Return these mechanisms with those called *names* off.

        Raises
        ------
        ValueError
            No mechanism has such a name.
        """
        for name in names:
            if name not in self.names():
                raise ValueError(f"no mechanism '{name}'; there are {', '.join(self.names())}")
        return replace(self, **dict.fromkeys(names, False))

    @property
    def off(self) -> tuple[str, ...]:
        """The names of the mechanisms that are off."""
        return tuple(name for name, is_on in asdict(self).items() if not is_on)
