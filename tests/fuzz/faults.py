"""Faults: shortened to the changes that they need, and kept as files with the command that shows them again."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tests.fuzz.inputs import Change, Input
from tests.fuzz.running import Broken

Judge = Callable[[Input], Broken | None]


@dataclass(frozen=True, slots=True)
class Fault:
    """A broken invariant, the input that breaks it, and the same with as few changes as were found."""

    found: Input
    least: Input
    signature: str
    message: str

    @property
    def again(self) -> str:
        """The command that shows the fault again."""
        kept = [str(self.found.changes.index(change)) for change in self.least.changes]
        only = [f"--keep-changes={','.join(kept)}"] if len(kept) < len(self.found.changes) else []
        name = f"{self.found.kind}:{self.found.index}"
        return shlex.join(["python", "-m", "tests.fuzz", f"--seed={self.found.seed}", f"--only={name}", *only])


def shortened(one: Input, broken: Broken, judge: Judge) -> Fault:
    """Return the fault of *one* with every change left out that it does not need."""
    least, message = one, str(broken)
    for change in one.changes if len(one.changes) > 1 else ():
        without = replace(least, changes=tuple(other for other in least.changes if other is not change))
        again = judge(without)
        if again is not None and again.signature == broken.signature:
            least, message = without, str(again)
    return Fault(one, least, broken.signature, message)


def keep(fault: Fault, folder: Path) -> Path:
    """Write the files of *fault* and how to see it again below *folder*, and return where."""
    place = folder / f"{fault.found.kind}-{fault.found.seed}-{fault.found.index}"
    place.mkdir(parents=True, exist_ok=True)
    fault.least.write(place)
    lines = [fault.message, "", fault.again, *([f"words: {fault.found.words!r}"] if fault.found.words else [])]
    lines += [_about(change) for change in fault.least.changes]
    (place / "FAULT.txt").write_text("\n".join(lines) + "\n", encoding="utf-8", errors="backslashreplace")
    return place


def _about(change: Change) -> str:
    return f"changed {change.file}: {change.operation} ({change.number})"
