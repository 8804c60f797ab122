"""What was set for a question, which makes its answer a what-if."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from megasolve.contracts.files.settings import plain_text
from megasolve.contracts.model.wording import counted, path_text

if TYPE_CHECKING:
    from megasolve.contracts import JsonObject
    from megasolve.contracts.files.settings import SetField, Setting

_MOST_BEFORE = 3


def setting_lines(settings: Sequence[Setting]) -> list[str]:
    """Return one line for each setting: what was set, and what the files have there."""
    return [f"WHAT IF {one}: {_instead(one.fields)}" for one in settings]


def settings_text(settings: Sequence[Setting]) -> str:
    """Return all settings as one phrase."""
    return "; ".join(map(str, settings))


def setting_facts(setting: Setting) -> JsonObject:
    """Return a setting as JSON has it; values are text as in a file, so that no figure is rounded."""
    fields: list[JsonObject] = [
        {"file": one.file, "path": path_text(one.path), "before": None if one.before is None else plain_text(one.before)}
        for one in setting.fields
    ]
    return {"path": setting.path, "value": plain_text(setting.value), "fields": fields}


def _instead(fields: Sequence[SetField]) -> str:
    if len(fields) == 1:
        return f"{fields[0].place} has {plain_text(fields[0].before)}"
    known = list(dict.fromkeys(plain_text(one.before) for one in fields))
    more = f" and {len(known) - _MOST_BEFORE} other values" if len(known) > _MOST_BEFORE else ""
    return f"{counted(len(fields), 'field')} from {fields[0].place} on have {', '.join(known[:_MOST_BEFORE])}{more}"
