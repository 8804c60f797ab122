"""What a further profile adds to a study that is there: contracts and records beside those that somebody may have written by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...files.documents import Document
from ...files.study import Study
from ...model.contract import Contract
from ...model.key import Key, keys_of
from ...model.programs.symbols import BATCH, names_in
from ...model.record import Record
from ...model.spec import OutsideTime
from ...observe.observation import Observation
from ...profiles.errors import ProfileRefused
from ...profiles.execution import Execution
from ...profiles.wording import microseconds
from ...sizes.operators import sizes_written
from ..circumstances import Circumstances
from ..importing import study_records
from ..outside import outside_times
from ..timings import Unused
from .batches import OtherBatch, batch_part


@dataclass(frozen=True, slots=True)
class StudyUpdate:
    """What a profile adds at *batch*: *contracts* where the study has none for it yet, and *records*.

    *kept* counts the calls whose records the study has already, which the profile does not change; *unused* are kernels of no contract.
    *without* are groups of which the profile has no kernel. *is_new_batch* says whether the study gets a further batch, and *aside* has the
    contracts whose programs have the sizes of the batches before, so that times of the new one would be derived from them.
    *outside* is what the profile of a new batch has and the plan does not.
    """

    batch: int
    contracts: tuple[Contract, ...]
    records: tuple[Record, ...]
    kept: int = 0
    unused: tuple[Unused, ...] = ()
    without: tuple[str, ...] = ()
    is_new_batch: bool = False
    aside: tuple[Document[Contract], ...] = ()
    outside: tuple[OutsideTime, ...] = ()


def study_update(study: Study, observation: Observation, executions: Sequence[Execution], batch: int) -> StudyUpdate:
    """Return what *observation* adds to *study* at *batch*; nothing that the study has is changed.

    Raises
    ------
    ProfileRefused
        The profile is no evidence, has kernels of no group, or only what the study has already.
    """
    _refuse_other_places(study, observation)
    if batch in study.spec.value.batches:
        return _more_of(study, observation, batch)
    found = [group.group for group in observation.groups]
    at = Circumstances(study.device.value, batch, study.spec.value.precision)
    part = batch_part(OtherBatch(batch, observation, tuple(executions)), found, at)
    if not part.records:
        raise ProfileRefused(observation.sources[0].file, "no time in it is standalone: there is nothing to add")
    without = tuple(group.name for group in study.spec.value.groups if group.name not in found)
    aside = tuple(one for one in study.contracts if _has_fixed_program(one.value))
    outside = tuple(outside_times(observation, [block.name for block in study.spec.value.repeats], part.step_ps, batch))
    return StudyUpdate(batch, part.contracts, part.records, without=without, is_new_batch=True, aside=aside, outside=outside)


def _more_of(study: Study, observation: Observation, batch: int) -> StudyUpdate:
    found, unused = study_records(observation, _of_batch(study, batch), batch)
    known = {key: record for document in study.records for record in document.value.records for key in keys_of(record)}
    added = tuple(record for record in found if known.keys().isdisjoint(keys_of(record)))
    if not added:
        why = (
            f"its {len(found):,} calls at batch {batch} have records already{_other(found, known)}"
            if found
            else "no contract has its kernels"
        )
        raise ProfileRefused(observation.sources[0].file, f"adds nothing to '{study.spec.value.name}': {why}; nothing was changed")
    return StudyUpdate(batch, (), added, len(found) - len(added), unused)


def _other(found: Sequence[Record], known: Mapping[Key, Record]) -> str:
    """Return the first time of the records *found* that is another one in the records *known*."""
    pairs = ((record, known[key]) for record in found for key in keys_of(record))
    return next(
        (
            f", with other times ({mine.group}: {microseconds(there.time_ps)} there, {microseconds(mine.time_ps)} in it)"
            for mine, there in pairs
            if mine.time_ps != there.time_ps
        ),
        "",
    )


def _of_batch(study: Study, batch: int) -> Study:
    """Return *study* with the contracts that run at *batch*: those whose records are all of other batches are for these."""
    batches: dict[str, set[int]] = {}
    for document in study.records:
        for record in document.value.records:
            for entry in record.entries:
                batches.setdefault(entry, set()).add(record.batch)
    kept = tuple(one for one in study.contracts if batch in batches.get(one.value.entry, {batch}))
    return replace(study, contracts=kept)


def _has_fixed_program(contract: Contract) -> bool:
    """Whether the sizes of a program are numbers of one batch: no expression in it names the batch."""
    blocks = [block for program in contract.programs.values() for block in program]
    written = [extent for block in blocks for operator in block.operators for _, extent in sizes_written(operator)]
    is_of_any_batch = any(BATCH in names_in(extent) for extent in (*written, *(block.repeat for block in blocks)))
    return contract.backend == "conventional" and bool(blocks) and not is_of_any_batch


def _refuse_other_places(study: Study, observation: Observation) -> None:
    """Refuse steps of another length than those whose places the spec gives to its groups."""
    attribution = study.spec.value.attribution
    places = [one.at for one in (attribution.groups if attribution else ()) if one.at is not None]
    if not places or observation.step_time is None:
        return
    whole = max(one.first + (one.every or 0) * (one.times - 1) + one.kernels for one in places)
    if observation.step_time.launches != whole:
        raise ProfileRefused(
            observation.sources[0].file,
            f"its steps have {observation.step_time.launches:,} kernels, and those of '{study.spec.value.name}' have "
            f"{whole:,} places; --cut, as it was when the study was made, finds them anew",
        )
