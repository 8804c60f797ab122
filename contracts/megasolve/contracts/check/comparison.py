"""Comparing studies with profiles of what ran; only a check does so, planning never reads one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..files.library import Library
from ..files.schema.standing import is_known
from ..files.study import Gathering, Study
from ..model.errors import UnreadableFile
from .registry import checks_on
from .standing import before_unknown
from .subjects import PROFILED, Placed


def compare(library: Library, gatherings: Iterable[Gathering], files: Sequence[str]) -> Iterator[Placed]:
    """Yield what the profiles in *files*, or else those that each spec names, say against its contracts and records.

    Of a study that is not whole, what stands is compared. One of *files* that cannot be used is unreadable and ends the comparison.
    """
    asked = [(gathering.study, gathering.is_complete) for gathering in gatherings if gathering.study is not None]
    comparable = [(study, is_complete) for study, is_complete in asked if files or _names_profiles(study)]
    if files and not comparable:
        library.unreadable.append(UnreadableFile(files[0], "is compared with the contracts of a spec, and no spec is checked"))
    if not comparable:
        return
    # Most checks need no importer, so none is loaded before a profile is named.
    from ..observe.profiled import ProfileShelf

    shelf = ProfileShelf()
    for study, is_complete in comparable:
        try:
            profiled = shelf.named(files) if files else shelf.matching(study, library.folders)
        except UnreadableFile as refused:
            library.unreadable.append(refused)
            return
        library.beside += profiled.files
        for check in checks_on(PROFILED):
            yield from check(study, profiled) if is_complete else before_unknown(check(study, profiled))


def _names_profiles(study: Study) -> bool:
    profiles = study.spec.value.profiles
    return is_known(profiles) and bool(profiles)
