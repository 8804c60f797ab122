"""The text of the spec of a new study, with what was assumed beside each line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..model.spec import GroupRole, OutsideTime
from ..observe.observation import AttributedBy, GroupRule, ObservedGroup, StepPlaces
from ..profiles.errors import ProfileRefused
from .asking import steps_words
from .cutting.cut import RepeatedGroups
from .words.yaml_text import flow, one_line

_WITH_A_PATH = "with its path from here, check compares contracts and records with the profile"

ROLES: tuple[GroupRole, ...] = ("admission", "producer", "consumer")


@dataclass(frozen=True, slots=True)
class SpecDraft:
    """What a new spec says; *assumed* has a reason for each key whose value nobody stated."""

    name: str
    beside: str
    device: str
    batches: Sequence[int]
    precision: str
    groups: Sequence[ObservedGroup]
    roles: Mapping[str, GroupRole]
    attribution: AttributedBy
    profiles: tuple[str, ...]
    source: str
    assumed: Mapping[str, str]
    outside: Sequence[OutsideTime] = ()
    is_recovered: bool = False
    repeats: Sequence[RepeatedGroups] = ()
    steps: int = 1

    def of_role(self, role: GroupRole) -> list[ObservedGroup]:
        """The groups of one role, in their order."""
        return [group for group in self.groups if self.roles[group.group] == role]


def spec_text(draft: SpecDraft) -> str:
    """Return the spec.

    Raises
    ------
    ProfileRefused
        A consumer without a producer: nothing would make its frames.
    """
    if draft.of_role("consumer") and not draft.of_role("producer"):
        raise ProfileRefused(draft.source, "a consumer group needs a producer group that makes its frames; say its role, as NAME:producer")
    return "".join(f"{line}\n" for line in _lines(draft))


def _lines(draft: SpecDraft) -> Iterator[str]:
    yield f"# Written by megasolve new from {one_line(draft.source)}. What it does not say is marked as assumed: confirm or change it."
    yield "megasolve: spec/v1"
    values = {"name": draft.name, "device": draft.device, "precision": draft.precision, "batches": list(draft.batches)}
    yield from (_line(draft, key, value) for key, value in values.items())
    yield "groups:"
    yield from (f"  - {flow(_group(draft, group))}{_calls(draft, group)}" for role in ROLES for group in draft.of_role(role))
    yield from _repeats(draft)
    yield _publication(draft)
    yield f"contracts: {flow([f'{draft.beside}/contracts/*.yaml'])}"
    yield f"records: {flow([f'{draft.beside}/records.yaml'])}"
    yield from _profiles(draft)
    yield from _attribution(draft.attribution)
    if draft.outside:
        yield "outside:  # what the profile has and this plan does not"
        yield from (f"  - {flow(one.model_dump(by_alias=True))}" for one in draft.outside)


def _line(draft: SpecDraft, key: str, value: object) -> str:
    why = draft.assumed.get(key)
    return f"{key}: {flow(value)}{f'  # assumed: {one_line(why)}' if why else ''}"


def _group(draft: SpecDraft, group: ObservedGroup) -> Mapping[str, object]:
    calls = {"calls": group.per_step} if group.per_step > 1 else {}
    return {"name": group.group, "role": draft.roles[group.group], **calls}


def _calls(draft: SpecDraft, group: ObservedGroup) -> str:
    """Return a comment on calls that come from taking the whole profile as one step, which a spec may well mean otherwise."""
    several = group.marks is not None and group.per_step > 1 and draft.attribution.steps.is_whole
    return "  # assumed: all that the profile has are in one step, as it is one" if several else ""


def _repeats(draft: SpecDraft) -> Iterator[str]:
    known = {group.group for group in draft.groups}
    blocks = [{"name": one.name, "times": one.times, "groups": [name for name in one.groups if name in known]} for one in draft.repeats]
    if blocks:
        yield "repeat:"
        yield from (f"  - {flow(block)}" for block in blocks)


def _publication(draft: SpecDraft) -> str:
    """Return what the first output waits for: the first chunk, else the first step, else the admission."""
    if draft.of_role("consumer") and draft.steps > 1:
        return f"stream: {{first_chunk: {draft.steps}}}  # assumed: the profile runs {draft.steps} steps before what comes after them"
    if draft.of_role("consumer"):
        return "stream: {first_chunk: 1}  # assumed: the first chunk is one frame, and each step yields one"
    producers = draft.of_role("producer")
    if producers:
        return f"publication: {flow({'group': producers[-1].group, 'step': 1})}  # assumed: the first step is the first output"
    return f"publication: {flow({'group': draft.of_role('admission')[-1].group})}"


def _profiles(draft: SpecDraft) -> Iterator[str]:
    if draft.profiles:
        yield f"profiles: {flow(draft.profiles)}"
    else:
        why = "it was recovered, and check takes nothing from a damaged file" if draft.is_recovered else _WITH_A_PATH
        yield f"# profiles: {flow([draft.source])}  # {why}"


def _attribution(attribution: AttributedBy) -> Iterator[str]:
    yield "attribution:"
    if not attribution.steps.is_usual:
        yield f"  steps: {flow(steps_words(attribution.steps))}"
    if attribution.steps.skip:
        yield f"  skip: {attribution.steps.skip}"
    if attribution.device is not None:
        yield f"  gpu: {attribution.device}"
    if attribution.steps.order != "start":
        yield f"  order: {attribution.steps.order}"
    yield "  groups:"
    yield from (f"    - {flow(_rule(rule))}" for rule in attribution.rules)


def _rule(rule: GroupRule) -> Mapping[str, object]:
    patterns = {"ranges": rule.ranges, "names": rule.names, "part": rule.part, "at": rule.places and _at(rule.places)}
    return {"group": rule.group, **{key: globs for key, globs in patterns.items() if globs}}


def _at(places: StepPlaces) -> Mapping[str, int]:
    again = {"every": places.every, "times": places.times} if places.times > 1 else {}
    return {"first": places.first, "kernels": places.kernels, **again}
