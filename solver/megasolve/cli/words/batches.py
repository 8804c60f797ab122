"""Profiles of several batches: each file behind the number of requests that ran at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import click

from .profile_options import AskedProfiles

_OF_BATCH = re.compile(r"([1-9]\d{0,8})=(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class BatchFiles:
    """The profiles of one *batch*, 0 where nobody said which, and what is *asked* of them."""

    batch: int
    files: tuple[str, ...]
    asked: AskedProfiles


def by_batch(words: Sequence[str], asked: AskedProfiles) -> list[BatchFiles]:
    """Return the files of each batch that *words* name, in their order; without batches all of them are of the one that is asked for."""
    found = [_OF_BATCH.fullmatch(word) for word in words]
    if not any(found):
        return [BatchFiles(asked.batch or 0, tuple(words), asked)]
    if asked.batch is not None:
        raise click.UsageError("--batch and N=FILE do not go together: N is the batch")
    files: dict[int, list[str]] = {}
    for word, match in zip(words, found, strict=True):
        if match is None:
            raise click.UsageError(f"{word}: of several batches each file is N=FILE")
        files.setdefault(int(match[1]), []).append(match[2])
    return [BatchFiles(batch, tuple(of_it), replace(asked, batch=batch)) for batch, of_it in files.items()]
