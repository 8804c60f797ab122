"""Which times of a spec are derived, and by which command they would be measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from megasolve.contracts import JsonObject

from ..text.tables import place_line

if TYPE_CHECKING:
    from megasolve.contracts import Unmeasured


def unmeasured_lines(found: Sequence[Unmeasured], commands: Mapping[str, str]) -> list[str]:
    """Return one line for each spec; *commands* measures them, by the file of the spec, where megasolve itself can."""
    return [place_line(_line(one, commands.get(one.spec.file))) for one in found]


def unmeasured_rows(found: Sequence[Unmeasured], commands: Mapping[str, str]) -> list[JsonObject]:
    """Return the same as plain values; a command is null where the kernels are not those of megasolve."""
    return [_row(one, commands.get(one.spec.file)) for one in found]


def _line(one: Unmeasured, command: str | None) -> str:
    groups = ", ".join(f"{name} {count:,}" for name, count in one.groups)
    counted = (
        f"{one.spec.file}: {one.derived:,} of {one.programmed:,} times on {one.device} are derived from programs, not recorded ({groups})"
    )
    if command is None:
        return f"{counted}; measure these kernels yourself, or import a profile of them"
    return f"{counted}; `{command}` measures them, with --group {one.groups[0][0]} those of one group"


def _row(one: Unmeasured, command: str | None) -> JsonObject:
    groups = [
        {"group": name, "derived": count, "command": None if command is None else f"{command} --group {name}"} for name, count in one.groups
    ]
    return {"spec": one.spec.file, "device": one.device, "derived": one.derived, "of": one.programmed, "groups": groups, "command": command}
