"""A study out of a profile: a spec, a conventional contract for each kernel, and their records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from ..model.spec import GroupRole, OutsideTime
from ..observe.observation import AttributedBy, Observation
from ..profiles.errors import ProfileRefused
from ..profiles.execution import Execution
from .circumstances import Circumstances, assumed_sentences, circumstances
from .contracts import launch_kind
from .cutting.batches import BatchPart, OtherBatch, batch_part, planned_step_ps, without_program
from .cutting.cut import RepeatedGroups
from .cutting.shapes import ShapedStep, shaped_step
from .cutting.today import TodayTime, today_time
from .device import identified, study_device
from .importing import fresh
from .outside import outside_times
from .records import records_yaml
from .runs import typical
from .spec import SpecDraft, spec_text
from .words.yaml_text import mapping_lines, one_line


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person says about a study beside its profiles.

    *name* is that of the spec, *folder* where it will stand, *beside* the folder of its contracts and records, as the spec names it.
    *device*, *batch* and *precision* are None where the profile is to be asked. *profiles* are the names by which the spec finds them.
    *repeats* are the blocks of groups that a step runs several times in a row, *steps* how many steps one request has, and *others*
    what ran at further batches.
    """

    name: str
    folder: str
    beside: str
    roles: Mapping[str, GroupRole] = field(default_factory=dict)
    device: str | None = None
    batch: int | None = None
    precision: str | None = None
    profiles: tuple[str, ...] = ()
    repeats: tuple[RepeatedGroups, ...] = ()
    steps: int = 1
    others: tuple[OtherBatch, ...] = ()


@dataclass(frozen=True, slots=True)
class Scaffold:
    """The texts of a new study: the *spec*, the *contracts* by file name, the *records*.

    *assumed* says what no profile states, one sentence each. *step_ps* is what the kernels and gaps of one step add up to, without those
    of groups *outside* of the steps; *span_ps* is what a step took in the profile, None where it has no timeline;
    neither has waits that no launch costs, and *has_outside* says whether there are any. *is_shared* says
    whether groups ran beside each other, so that they never took what they add up to. *blocks* are those that a step repeats, *shapes*
    what its operators come to where the profile recorded them, and *device* is the text of the device file that the study brings along
    where none is known. *today* answers what a step takes today, as a graph and at its floor; *batches* are the further ones, each with
    what its own profile shows.
    """

    spec: str
    contracts: Mapping[str, str]
    records: str
    assumed: tuple[str, ...]
    step_ps: int
    span_ps: int | None
    outside: tuple[str, ...] = ()
    has_outside: bool = False
    blocks: tuple[str, ...] = ()
    shapes: ShapedStep | None = None
    today: TodayTime | None = None
    batches: tuple[BatchPart, ...] = ()
    device: str | None = None
    is_shared: bool = False


def scaffold(observation: Observation, executions: Sequence[Execution], attribution: AttributedBy, wishes: Wishes) -> Scaffold:
    """Return the study of what *observation* shows; nothing is written.

    Raises
    ------
    ProfileRefused
        The GPU is not known, the profile is no evidence, a group has no kernel, a step takes no time,
        or the roles of the groups do not make a stream.
    UnknownDevice
        No device has the name that was asked for.
    """
    observation = identified(observation, executions)
    profile = observation.sources[0].file
    observation.refuse_unfit()
    _refuse_empty_groups(observation, attribution, profile)
    of = study_device(observation.device, profile, wishes.folder, wishes.beside, wishes.device)
    at, assumed = circumstances(observation, of.device, wishes.batch, wishes.precision)
    contracts, records = fresh(observation, executions, at)
    if not records:
        raise ProfileRefused(profile, f"{_only_beside(observation)}: no time in it is standalone; record each group alone")
    parts = [batch_part(other, [group.group for group in observation.groups], at) for other in wishes.others]
    contracts = tuple(map(without_program, contracts)) if parts else contracts
    step_ps = planned_step_ps(observation, records, contracts)
    if not step_ps and any(group.in_steps for group in observation.groups):
        raise ProfileRefused(profile, "a step takes no time: its kernels all run beside kernels that are no part of it")
    origin = f"Written by megasolve new from {one_line(PurePath(profile).name)}."
    is_recovered = any(execution.is_recovered for execution in executions)
    every = [*contracts, *(one for part in parts for one in part.contracts)]
    return Scaffold(
        spec=spec_text(
            _draft(
                observation,
                attribution,
                wishes,
                at,
                assumed,
                device=of.reference,
                is_recovered=is_recovered,
                outside=_outside(observation, step_ps, parts, wishes, at.batch),
            )
        ),
        contracts={f"{one.entry}.yaml": _contract_text(one.model_dump(by_alias=True, exclude_unset=True), origin) for one in every},
        records=records_yaml([*records, *(record for part in parts for record in part.records)], origin),
        assumed=tuple(assumed_sentences(assumed)),
        step_ps=step_ps,
        span_ps=typical(observation.span_samples_ps) if observation.span_samples_ps else None,
        blocks=tuple(one.name for one in wishes.repeats),
        shapes=shaped_step(observation, of.device),
        device=of.text,
        batches=tuple(parts),
        today=today_time(observation, of.device, is_graph=launch_kind(executions) == "graph"),
        outside=tuple(group.group for group in observation.groups if not group.in_steps),
        has_outside=bool(observation.outside),
        is_shared=observation.is_shared,
    )


def _draft(
    observation: Observation,
    attribution: AttributedBy,
    wishes: Wishes,
    at: Circumstances,
    assumed: Mapping[str, str],
    *,
    device: str,
    is_recovered: bool,
    outside: tuple[OutsideTime, ...],
) -> SpecDraft:
    return SpecDraft(
        name=wishes.name,
        beside=wishes.beside,
        device=device,
        batches=(at.batch, *(other.batch for other in wishes.others)),
        precision=at.precision,
        groups=observation.groups,
        roles={group.group: wishes.roles.get(group.group, "producer") for group in observation.groups},
        attribution=replace(attribution, steps=observation.steps_by),
        profiles=() if is_recovered else wishes.profiles,
        is_recovered=is_recovered,
        source=PurePath(observation.sources[0].file).name,
        assumed=assumed,
        outside=outside,
        repeats=wishes.repeats,
        steps=wishes.steps,
    )


def _outside(observation: Observation, step_ps: int, parts: Sequence[BatchPart], wishes: Wishes, batch: int) -> tuple[OutsideTime, ...]:
    """Return what the profile of each batch has and the plan does not."""
    blocks = [one.name for one in wishes.repeats]
    others = (one for part in parts for one in outside_times(part.observation, blocks, part.step_ps, part.batch))
    return (*outside_times(observation, blocks, step_ps, batch if parts else None), *others)


def _only_beside(observation: Observation) -> str:
    return "; ".join(f"group {group.group} ran only beside {', '.join(group.beside)}" for group in observation.groups if group.beside)


def _contract_text(authored: Mapping[str, object], origin: str) -> str:
    return "".join(f"{line}\n" for line in (f"# {origin}", *mapping_lines(authored)))


def _refuse_empty_groups(observation: Observation, attribution: AttributedBy, profile: str) -> None:
    seen = {group.group for group in observation.groups}
    for rule in attribution.rules:
        if rule.group not in seen:
            patterns = ", ".join((*(f"ranges:{one}" for one in rule.ranges), *(f"names:{one}" for one in rule.names)))
            raise ProfileRefused(profile, f"no kernel belongs to group '{rule.group}' ({patterns or 'nothing is left for it'})")
