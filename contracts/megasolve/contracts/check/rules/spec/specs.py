"""Rules for a spec alone: its groups and roles, batches, budget pairs, policies, objective and publication."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from math import prod

from ....model.base import BudgetRange
from ....model.closest import nearest
from ....model.findings import Fault, Repair
from ....model.rules import rule
from ....model.spec import GroupRole, Spec
from ...subjects import SPEC
from ..walking import one_by_one, repeats
from ..wording import listed, range_faults, repeated

_ROLES: tuple[GroupRole, ...] = ("admission", "producer", "consumer")

MOST_PAIRS = 20_000


@rule("SPC-01", "group-repeated", "Group names are unique.", on=SPEC)
def group_repeated(spec: Spec) -> Iterator[Fault]:
    """Everything refers to a group by its name."""
    for index, first in repeats(spec.groups, lambda group: group.name):
        yield Fault(
            group_repeated,
            ("groups", index, "name"),
            f"'{spec.groups[index].name}' is the name of group {first + 1} already; group names are unique: rename one",
        )


@rule("SPC-02", "role-out-of-order", "Groups come as admission, producer, consumer: regions are contiguous.", on=SPEC)
def role_out_of_order(spec: Spec) -> Iterator[Fault]:
    """A region is contiguous groups in the order in which they run, so roles never go back."""
    for index, (before, group) in enumerate(pairwise(spec.groups), start=1):
        if _ROLES.index(group.role) < _ROLES.index(before.role):
            yield Fault(
                role_out_of_order,
                ("groups", index, "role"),
                f"{group.role} '{group.name}' stands after {before.role} '{before.name}'; "
                "the order is admission, producer, consumer: move it up",
            )


@rule("SPC-03", "nothing-to-consume", "A consumer needs a producer that yields its frames.", on=SPEC)
def nothing_to_consume(spec: Spec) -> Iterator[Fault]:
    """A chunk is made of frames, and only producer steps yield frames."""
    if _has(spec, "producer"):
        return
    for index, group in one_by_one(spec.groups):
        if group.role == "consumer":
            yield Fault(
                nothing_to_consume,
                ("groups", index, "role"),
                f"consumer '{group.name}' has no producer; add the group that yields its frames, or make it an admission group",
            )


@rule("SPC-04", "batch-repeated", "Each batch is planned once.", on=SPEC)
def batch_repeated(spec: Spec) -> Iterator[Fault]:
    """A batch stands for one ranking; the order of batches is free."""
    for index, first in repeats(spec.batches):
        yield Fault(batch_repeated, ("batches", index), repeated(f"batch {spec.batches[index]}", first), repair=Repair(None))


@rule("SPC-05", "pair-repeated", "Each budget pair is declared once.", on=SPEC)
def pair_repeated(spec: Spec) -> Iterator[Fault]:
    """Two equal pairs are one candidate."""
    for index, first in repeats(spec.budget_pairs):
        message = f"{spec.budget_pairs[index]} is pair {first + 1} of the list already; remove one of the two"
        yield Fault(pair_repeated, ("budget_pairs", index), message, repair=Repair(None))
    for index, first in repeats(spec.partition_pairs):
        message = f"{spec.partition_pairs[index]} is pair {first + 1} of the list already; remove one of the two"
        yield Fault(pair_repeated, ("partition_pairs", index), message)


@rule("SPC-06", "pair-without-split", "A budget pair needs a producer and a consumer to share the GPU.", on=SPEC)
def pair_without_split(spec: Spec) -> Iterator[Fault]:
    """A pair divides the GPU between producers and consumers."""
    if spec.budget_pairs and (missing := _missing_side(spec)):
        yield Fault(
            pair_without_split,
            ("budget_pairs",),
            f"budget pairs without a {missing} group; a split shares the GPU between producers and consumers: remove them",
            at_key=True,
        )


@rule("SPC-07", "policy-repeated", "Each policy is named once.", on=SPEC)
def policy_repeated(spec: Spec) -> Iterator[Fault]:
    """A policy is allowed or not."""
    for index, first in repeats(spec.policies):
        yield Fault(policy_repeated, ("policies", index), repeated(f"'{spec.policies[index]}'", first), repair=Repair(None))


@rule("SPC-08", "policy-without-split", "A split policy needs a producer and a consumer.", on=SPEC)
def policy_without_split(spec: Spec) -> Iterator[Fault]:
    """`fixed` and `dynamic`, where written, need both sides; the default list simply does not apply.

    Two streams inside of roles need no sides.
    """
    if "policies" not in spec.model_fields_set or not (missing := _missing_side(spec)):
        return
    for index, policy in one_by_one(spec.policies):
        if policy != "serial" and not (policy == "streams" and spec.streams.inside):
            yield Fault(
                policy_without_split,
                ("policies", index),
                f"'{policy}' without a {missing} group; only 'serial' applies: a split shares the GPU between producers and consumers",
            )


@rule("SPC-09", "policy-missing", "A spec allows at least one policy.", on=SPEC)
def policy_missing(spec: Spec) -> Iterator[Fault]:
    """No policy, no candidate."""
    if not spec.policies:
        yield Fault(
            policy_missing,
            ("policies",),
            "no policy is allowed; name serial, fixed, dynamic, partition or streams, or remove the key for the first three",
        )


@rule("SPC-22", "policies-without-pair", "Where all policies are splits, there are pairs to split by.", on=SPEC)
def policies_without_pair(spec: Spec) -> Iterator[Fault]:
    """A split has a candidate for each pair, so without one there is none, and nothing that an exclusion could be told of."""
    if spec.policies and {*spec.policies} <= {"fixed", "dynamic"} and not spec.budget_pairs and not _missing_side(spec):
        named = " and ".join(f"'{policy}'" for policy in spec.policies)
        because = f"{named} without budget_pairs: no candidate is left"
        repair = "list what each side may hold, [{producer_ctas: X, consumer_ctas: rest}], or add 'serial'"
        yield Fault(policies_without_pair, ("policies",), f"{because}; {repair}")


@rule("SPC-10", "objective-impossible", "The objective is a time that these groups have.", on=SPEC)
def objective_impossible(spec: Spec) -> Iterator[Fault]:
    """A time from step to step needs steps, a time from chunk to chunk needs a next chunk."""
    is_list = len(spec.stated_objectives) > 1
    for index, objective in one_by_one(spec.stated_objectives):
        if missing := _missing_for(spec, objective):
            message = f"'{objective}' needs {missing}; add it or choose another objective: first_publication is always possible"
            yield Fault(objective_impossible, ("objective", index) if is_list else ("objective",), message)
    for limited in spec.constraints.limited:
        if missing := _missing_for(spec, limited):
            key = f"{limited}_us"
            yield Fault(objective_impossible, ("constraints", "limits", key), f"'{key}' needs {missing}; add it or remove the limit")


def _missing_for(spec: Spec, objective: str) -> str:
    """Return what the groups of *spec* lack for *objective* to be a time of theirs."""
    needs = {"producer_step": "producer", "chunk_interval": "consumer", "capacity": "consumer"}.get(objective)
    if needs and needs not in {group.role for group in spec.groups}:
        return f"a {needs} group"
    if objective == "chunk_interval" and spec.stream is not None and spec.stream.next_chunk is None:
        return "stream.next_chunk, the frames of a later chunk"
    if objective == "capacity" and spec.stream is not None and None in (spec.stream.next_chunk, spec.stream.frame_ps):
        return "stream.next_chunk and stream.frame_us, what a later chunk plays"
    return ""


@rule("SPC-11", "publication-missing", "Without a consumer the spec says what publication waits for.", on=SPEC)
def publication_missing(spec: Spec) -> Iterator[Fault]:
    """Without a consumer nothing else says when output may be published."""
    if not _has(spec, "consumer") and spec.publication is None:
        yield Fault(
            publication_missing,
            ("groups",),
            "no consumer and no publication; say what the first publication waits for, as publication: {group: NAME, step: 1}",
            at_key=True,
        )


@rule("SPC-12", "publication-derived", "With a consumer publication follows from the stream.", on=SPEC)
def publication_derived(spec: Spec) -> Iterator[Fault]:
    """With a consumer the first publication waits for the first chunk and step h; nobody may say otherwise."""
    if _has(spec, "consumer") and spec.publication is not None:
        yield Fault(
            publication_derived,
            ("publication",),
            "publication beside a consumer; it follows from the stream's delay, first_chunk and lookahead: remove it",
            at_key=True,
        )


@rule("SPC-13", "stream-missing", "A consumer needs a stream schedule.", on=SPEC)
def stream_missing(spec: Spec) -> Iterator[Fault]:
    """A consumer without a schedule has no first chunk."""
    if _has(spec, "consumer") and spec.stream is None:
        yield Fault(
            stream_missing,
            ("groups",),
            "a consumer and no stream; say when its first chunk can start, as stream: {delay: STEPS, first_chunk: FRAMES}",
            at_key=True,
        )


@rule("SPC-14", "stream-without-consumer", "Without a consumer a stream schedule gates nothing.", on=SPEC)
def stream_without_consumer(spec: Spec) -> Iterator[Fault]:
    """Delay, first chunk and look-ahead gate a consumer's chunks; without one they would be ignored."""
    if not _has(spec, "consumer") and spec.stream is not None:
        yield Fault(
            stream_without_consumer,
            ("stream",),
            "a stream without a consumer gates nothing; remove it and say in publication what the first publication waits for",
            at_key=True,
        )


@rule("SPC-15", "publication-group-unknown", "Publication waits for a group of the spec.", on=SPEC)
def publication_group_unknown(spec: Spec) -> Iterator[Fault]:
    """Publication names a group that exists."""
    names = [group.name for group in spec.groups]
    if spec.publication is not None and spec.publication.group not in names:
        yield Fault(
            publication_group_unknown,
            ("publication", "group"),
            f"'{spec.publication.group}' is no group of this spec{nearest(spec.publication.group, names)}",
        )


@rule("SPC-16", "publication-step", "Publication waits for a producer after a step, for an admission without one.", on=SPEC)
def publication_step(spec: Spec) -> Iterator[Fault]:
    """An admission group runs once, a producer group once per step."""
    if spec.publication is None:
        return
    name, step = spec.publication.group, spec.publication.step
    roles = {group.role for group in spec.groups if group.name == name}
    if "admission" in roles and step is not None:
        yield Fault(
            publication_step,
            ("publication", "step"),
            f"step {step} of '{name}', an admission group, which runs once; remove step",
        )
    if "producer" in roles and step is None:
        yield Fault(
            publication_step,
            ("publication", "group"),
            f"producer '{name}' without a step; say after which of its steps output is published: step is 1 or more",
        )


def _has(spec: Spec, role: GroupRole) -> bool:
    return bool(spec.groups_of(role))


def _missing_side(spec: Spec) -> str:
    """Which of the two sides of a split the spec lacks, as a phrase; empty where it has both."""
    sides: tuple[GroupRole, ...] = ("producer", "consumer")
    missing = [side for side in sides if not _has(spec, side)]
    return listed(missing).replace(", ", " or ") if missing else ""


@rule("SPC-18", "pair-range-unusable", "The ranges of a budget pair have a first count, and not too many together.", on=SPEC)
def pair_range_unusable(spec: Spec) -> Iterator[Fault]:
    """What holds for a range of a contract holds for those of a pair, and for the pairs that they make up."""
    for index, pair in one_by_one(spec.budget_pairs):
        yield from _ranges(("budget_pairs", index), {"producer_ctas": pair.producer_ctas, "consumer_ctas": pair.consumer_ctas})
    for index, parts in one_by_one(spec.partition_pairs):
        yield from _ranges(("partition_pairs", index), {"producer_sms": parts.producer_sms, "consumer_sms": parts.consumer_sms})


def _ranges(path: tuple[str, int], sides: Mapping[str, object]) -> Iterator[Fault]:
    ranges = {key: side for key, side in sides.items() if isinstance(side, BudgetRange)}
    faults = [Fault(pair_range_unusable, (*path, key), fault) for key, side in ranges.items() for fault in range_faults(side)]
    yield from faults
    pairs = prod(len(side.counts) for side in ranges.values())
    if not faults and pairs > MOST_PAIRS:
        *_, last = sides
        yield Fault(pair_range_unusable, path, f"{pairs:,} pairs > {MOST_PAIRS:,}; say larger steps, or {last}: rest")


@rule("SPC-19", "partitions-unlisted", "The policy `partition` and the pairs of SMs that it may have stand together.", on=SPEC)
def partitions_unlisted(spec: Spec) -> Iterator[Fault]:
    """The policy is off unless it is listed, and without a pair it has nothing to choose from."""
    is_listed = "partition" in spec.policies
    if is_listed and not spec.partition_pairs:
        message = "'partition' without partition_pairs; list which SMs each side may have: [{producer_sms: X, consumer_sms: rest}]"
        yield Fault(partitions_unlisted, ("policies", spec.policies.index("partition")), message)
    if spec.partition_pairs and not is_listed:
        message = "partition_pairs without the policy; add 'partition' to policies, which is off by default, or remove them"
        yield Fault(partitions_unlisted, ("partition_pairs",), message, at_key=True)
