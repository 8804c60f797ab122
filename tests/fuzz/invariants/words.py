"""What must hold of an answer to any words."""

from __future__ import annotations

from pathlib import Path

from tests.fuzz.running import Broken, answer, snapshot

WRITERS = {"new", "example", "measure"}


def judge_words(folder: Path, words: tuple[str, ...]) -> bool:
    """Judge *words* in *folder*, which is the current folder, and return whether they were understood."""
    before = snapshot(folder)
    given = answer(*words, stdin=before.get("spec.yaml") or b"")
    after = snapshot(folder)
    # A report of check is whole also where it says that some of its paths cannot be read.
    is_report = "check" in words and given.is_to_a_file
    if given.exit_code == 2 and after != before and not is_report:
        raise Broken("something was written by a refused command", f"{words}: {sorted({*after} ^ {*before})}")
    if given.exit_code != 2 and after == before and not WRITERS & {*words}:
        again = answer(*words, stdin=before.get("spec.yaml") or b"")
        if (again.exit_code, again.out) != (given.exit_code, given.out):
            raise Broken("other bytes the second time", " ".join(words))
    if lost := [name for name in before if name not in after]:
        raise Broken("a file is gone", f"{words}: {lost}")
    return given.exit_code != 2
