"""Comparing studies with profiles of what ran; only a check does so, planning never reads one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..files.library import Library
from ..files.study import Gathering, Study
from ..model.errors import UnreadableFile
from .registry import checks_on
from .subjects import PROFILED, Placed

if TYPE_CHECKING:
    from ..observe.profiled import Profiled


def compare(library: Library, gatherings: Iterable[Gathering], files: Sequence[str]) -> Iterator[Placed]:
    """Yield what the profiles in *files*, or else those that each spec names, say against its contracts and records.

    A study that is not whole is not compared. One of *files* that cannot be used is unreadable and ends the comparison.
    """
    whole = [gathering.study for gathering in gatherings if gathering.study is not None and gathering.is_complete]
    comparable = [study for study in whole if files or study.spec.value.profiles]
    if files and not comparable:
        library.unreadable.append(UnreadableFile(files[0], "is compared with the contracts of a spec, and no whole spec is checked"))
    if not comparable:
        return
    # Most checks need no importer, so none is loaded before a profile is named.
    from ..observe.profiled import ProfileShelf

    shelf = ProfileShelf()
    for study in comparable:
        try:
            profiled = shelf.named(files) if files else shelf.matching(study, library.folders)
        except UnreadableFile as refused:
            library.unreadable.append(refused)
            return
        library.beside += profiled.files
        yield from _faults(study, profiled)


def _faults(study: Study, profiled: Profiled) -> Iterator[Placed]:
    for check in checks_on(PROFILED):
        yield from check(study, profiled)
