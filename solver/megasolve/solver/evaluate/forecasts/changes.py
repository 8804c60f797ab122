"""Changes: what a frozen plan was made of and what of it is no longer as it was."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from megasolve.contracts import Stamp

from .frozen_plan import FrozenPlan

Hashes = Mapping[str, tuple[str, str | None]]
# The options of `solve` that change what a candidate scores, or whether it is one.
_DECIDING = {"without": "--without", "where": "--where", "settings": "--set"}


@dataclass(frozen=True, slots=True)
class InputChange:
    """An input that is not what it was when the plan was made.

    *was* and *now* are hashes of files, or two versions of megasolve, or what an option was and is.
    """

    path: str
    how: Literal["changed", "new", "gone", "version", "option", "unknown"]
    was: str | None = None
    now: str | None = None


def changes_since(plan: FrozenPlan, stamp: Stamp) -> tuple[InputChange, ...]:
    """Return what has changed since *plan* was made: its files, by where they lie beside the spec, the version, and options."""
    return _changes(plan, stamp.version, stamp.options, _beside((one.path, one.sha256) for one in stamp.inputs))


def changes_between(before: FrozenPlan, after: FrozenPlan) -> tuple[InputChange, ...]:
    """Return what has changed from one plan to another: of what they were made, by which version, and with which options."""
    return _changes(before, after.version, after.options, _beside((one.path, one.sha256) for one in after.inputs))


def _changes(plan: FrozenPlan, version: str | None, options: Mapping[str, Any], now: Hashes) -> tuple[InputChange, ...]:
    if not plan.inputs or not now:
        return (InputChange(plan.spec, "unknown"),)
    then = _beside((one.path, one.sha256) for one in plan.inputs)
    versions = [] if plan.version in (None, version) else [InputChange("megasolve", "version", plan.version, version)]
    return (*versions, *_options(plan.options, options), *_changed(then, now), *_new(then, now))


def _options(then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[InputChange]:
    for name, option in _DECIDING.items():
        was, new = (" ".join(map(str, options.get(name) or ())) for options in (then, now))
        if was != new:
            yield InputChange(option, "option", was or None, new or None)


def _changed(then: Hashes, now: Hashes) -> Iterator[InputChange]:
    elsewhere = {hashed for path, (_, hashed) in now.items() if path not in then}
    for path, (name, was) in then.items():
        if path in now and was != now[path][1]:
            yield InputChange(name, "changed" if now[path][1] else "gone", was, now[path][1])
        # A file that lies elsewhere now and holds the same has not changed.
        elif path not in now and was not in elsewhere:
            yield InputChange(name, "gone", was)


def _new(then: Hashes, now: Hashes) -> Iterator[InputChange]:
    moved = {hashed for path, (_, hashed) in then.items() if path not in now}
    for path, (name, hashed) in now.items():
        if path not in then and hashed not in moved:
            yield InputChange(name, "new", None, hashed)


def _beside(files: Iterable[tuple[str, str | None]]) -> Hashes:
    """Return name and hash of *files*, the first of which is the spec, by their way from its folder; the spec may have another name."""
    found: dict[str, tuple[str, str | None]] = {}
    folder = None
    for path, hashed in files:
        way = "the spec" if folder is None else os.path.relpath(path, folder)
        folder = str(Path(path).parent) if folder is None else folder
        found[way] = (path, hashed)
    return found
