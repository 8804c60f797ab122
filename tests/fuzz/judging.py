"""Judging one input: in a folder of its own, as the current folder, with a cache of its own."""

from __future__ import annotations

import os
import shutil
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.drawn.profiles import FORMATS
from tests.fuzz.inputs import Input
from tests.fuzz.invariants.profiles import judge_profile
from tests.fuzz.invariants.studies import Twin, judge_checked, judge_study
from tests.fuzz.invariants.words import judge_words
from tests.fuzz.running import Broken


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether an input was accepted; *fault* is what is broken, if anything."""

    accepted: bool
    fault: Broken | None = None


def judge(one: Input, twin: Twin | None = None) -> Verdict:
    """Run everything that *one* is for, and return what became of it."""
    with _folder() as folder:
        one.write(folder)
        try:
            return Verdict(_accepted(one, folder, twin))
        except Broken as fault:
            return Verdict(accepted=False, fault=fault)
        except Exception as error:  # noqa: BLE001
            return Verdict(accepted=False, fault=_unexpected(error))


def _unexpected(error: Exception) -> Broken:
    """Return an exception out of a call from Python, which is a fault as much as one out of a command."""
    *_, last = traceback.extract_tb(error.__traceback__)
    return Broken(f"{type(error).__name__} in {Path(last.filename).name}:{last.name}", "".join(traceback.format_exception(error)))


def _accepted(one: Input, folder: Path, twin: Twin | None) -> bool:
    random = one.random("judging")
    if one.words:
        return judge_words(folder, one.words)
    if one.kind in FORMATS:
        return judge_profile(folder, tuple(one.trees), random)
    # Shipped specs are planned for seconds, so they are only checked.
    return judge_checked(folder) if one.kind == "shipped" else judge_study(folder, random, twin)


@contextmanager
def _folder() -> Iterator[Path]:
    """Make a folder the current one, and put it away afterwards."""
    before = Path.cwd()
    folder = Path(tempfile.mkdtemp(prefix="megasolve-fuzz-"))
    os.chdir(folder)
    try:
        yield folder
    finally:
        os.chdir(before)
        shutil.rmtree(folder, ignore_errors=True)
