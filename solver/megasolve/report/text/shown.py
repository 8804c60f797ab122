"""What of a result is shown beyond its best candidates."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shown:
    """*all*: every candidate. *variants*: those that lose or fall out, too. *entries*: where every entry stands."""

    all: bool = False
    variants: bool = False
    entries: bool = False
