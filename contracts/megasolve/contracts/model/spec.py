"""The spec file: the model's groups, its stream schedule, the batches to plan for, and where the evidence is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BeforeValidator, Discriminator, Field, StringConstraints, Tag

from .base import (
    TAG,
    Budget,
    BudgetOrRest,
    Bytes,
    Count,
    CountOrZero,
    DurationPs,
    EntryName,
    Frozen,
    Ignored,
    Name,
    Rate,
    Text,
    list_or_word,
    one_as_list,
)
from .contract import Assumption, PolicyKind

GroupRole = Literal["admission", "producer", "consumer"]
Objective = Literal["first_publication", "producer_step", "chunk_interval"]
StatedObjective = Literal["first_publication", "producer_step", "chunk_interval", "capacity"]


_Several = Annotated[tuple[StatedObjective, ...], Field(min_length=1), Tag(TAG + "list")]
Objectives = Annotated[Annotated[StatedObjective, Tag(TAG + "word")] | _Several, Discriminator(list_or_word)]

MOST_TIMES = 100_000

STEPS = r"^(whole|replays|count:[1-9][0-9]{0,8}|marks:.+|period:(auto|[1-9][0-9]{0,8}))$"


class GroupSpec(Frozen):
    """A phase of the model. *calls* is how often it runs per occurrence (a local transformer: once per codebook).

    A consumer that decodes a window declares *left_context_frames*: a chunk then decodes its own frames plus as many
    earlier ones as exist, and its records carry that number as the shape `frames`.
    """

    name: Name
    role: GroupRole
    title: Text | None = None
    calls: Count = 1
    shapes: Mapping[str, CountOrZero] = Field(default_factory=dict)
    left_context_frames: CountOrZero | None = None


class Edge(Frozen):
    """A dependency between groups; *distance* 1 is carried by the loop to the next step."""

    source: Name = Field(alias="from")
    target: Name = Field(alias="to")
    distance: Annotated[int, Field(ge=0, le=1)] = 0
    kind: Literal["data", "state", "publication"] = "data"


class RepeatedBlock(Frozen):
    """A block of consecutive *groups* of one role that run *times* times in a row inside their role: 28 layers of a step."""

    name: Name
    times: Annotated[int, Field(ge=1, le=MOST_TIMES)]
    groups: Annotated[tuple[Name, ...], Field(min_length=1)]


class Interleave(Frozen):
    """*steps* producer steps yield *frames* frames (interleaved text tokens take steps, too)."""

    steps: Count
    frames: Count


class StreamSchedule(Frozen):
    """When output may be published (paper, sections II-A and III).

    *delay* d and *lookahead* l are steps, *first_chunk* c1 and *next_chunk* are frames; one step is one frame unless
    *interleave* says otherwise. *length_steps* is how many steps the utterance has, where that is known.
    """

    delay: CountOrZero = 0
    first_chunk: Count
    lookahead: CountOrZero = 0
    right_context: CountOrZero = 0
    next_chunk: Count | None = None
    interleave: Interleave | None = None
    length_steps: CountOrZero | None = None
    frame_ps: DurationPs | None = Field(None, alias="frame_us")

    def steps_for(self, frames: int) -> int:
        """The producer steps that yield *frames* frames, rounded up to whole steps."""
        if self.interleave is None:
            return frames
        return -(-frames * self.interleave.steps // self.interleave.frames)

    @property
    def ready_step(self) -> int:
        """r: the step after which the first chunk can start."""
        return self.delay + self.steps_for(self.first_chunk) + self.right_context

    @property
    def horizon_step(self) -> int:
        """h: the last step that the first publication waits for."""
        return max(self.ready_step, self.delay + self.steps_for(self.first_chunk) + self.lookahead)


class Publication(Frozen):
    """Without a consumer: the group that the first publication waits for and, for a producer, after which step."""

    group: Name
    step: Count | None = None


class BudgetPair(Frozen):
    """A split that the implementations support: X CTAs for the producers, Y for the consumers.

    Either is a count or a range; *consumer_ctas* may be the rest: all CTAs of its entry that fit beside the producers.
    """

    producer_ctas: Budget
    consumer_ctas: BudgetOrRest

    @property
    def is_plain(self) -> bool:
        """Whether the pair is two counts."""
        return isinstance(self.producer_ctas, int) and isinstance(self.consumer_ctas, int)

    @property
    def counts(self) -> tuple[int, int]:
        """The two counts of a plain pair.

        Raises
        ------
        TypeError
            One of them is a range, or a rest.
        """
        if isinstance(self.producer_ctas, int) and isinstance(self.consumer_ctas, int):
            return self.producer_ctas, self.consumer_ctas
        raise TypeError(f"{self} is no pair of counts")

    def __str__(self) -> str:
        return f"{self.producer_ctas}/{self.consumer_ctas}"


class PartitionPair(Frozen):
    """Two SM partitions that stand beside each other: X SMs for the producers, Y for the consumers.

    Either is a count or a range; *consumer_sms* may be the rest of the SMs.
    """

    producer_sms: Budget
    consumer_sms: BudgetOrRest

    @property
    def is_plain(self) -> bool:
        """Whether the pair is two counts."""
        return isinstance(self.producer_sms, int) and isinstance(self.consumer_sms, int)

    @property
    def counts(self) -> tuple[int, int]:
        """The two counts of a plain pair.

        Raises
        ------
        TypeError
            One of them is a range, or the rest.
        """
        if isinstance(self.producer_sms, int) and isinstance(self.consumer_sms, int):
            return self.producer_sms, self.consumer_sms
        raise TypeError(f"{self} is no pair of counts")

    def __str__(self) -> str:
        return f"{self.producer_sms}/{self.consumer_sms}"


PartitionMechanism = Literal["green_context", "mig", "mps"]


class Arrivals(Frozen):
    """Requests that come independently of each other, so many a second on average, to one GPU that serves one at a time."""

    requests_per_s: Rate


class StreamChoices(Frozen):
    """How the consumers on a second stream are launched, where the spec lists the policy `streams`.

    They wait for an event of step r or, as many servers do by accident, for the whole next step of the stream: *waits_for* lists what is
    tried. Of kernels that become ready at one instant those of the side with *priority* start first. *inside* lets regions of one role that
    no path of edges joins run on two streams, too: a shared expert beside routed ones.
    """

    waits_for: Annotated[tuple[Literal["step", "stream"], ...], Field(min_length=1)] = ("step",)
    priority: Literal["consumer", "producer"] = "consumer"
    inside: bool = False


class KernelPlaces(Frozen):
    """The kernels of a step from place *first* (from 0) on, *kernels* of them; again every *every* kernels, *times* times in all."""

    first: CountOrZero
    kernels: Count
    every: CountOrZero = 0
    times: Count = 1


class GroupAttribution(Frozen):
    """Which kernels of a profile belong to *group*: those launched inside one of *ranges* and named like one of *names*.

    Both are patterns, `*` and `?` as in file names; one that is left out asks for nothing. A group without either takes what no
    other group takes. With *part* they are kernels before the first step, or after the last one; with *at* those at places of a step.
    """

    group: Name
    ranges: tuple[Text, ...] = ()
    names: tuple[Text, ...] = ()
    part: Literal["before", "after"] | None = None
    at: KernelPlaces | None = None


class OutsideTime(Frozen):
    """Time of a profile that is in no record and no gap of this plan: *what* it is, how long, and why it counts as outside."""

    what: Text
    time_ps: DurationPs = Field(alias="time_us")
    because: Text


class Attribution(Frozen):
    """How kernels of a profile are told apart: into *steps*, the first *skip* of which are left out, and by group.

    Without *steps* these are the marks that profilers write for steps, or the whole profile where it has none.
    *gpu* is the number of the device to look at, where the profile has several. The places of kernels in a step are counted as they start,
    or in the *order* in which the host called for them.
    """

    steps: Annotated[str, StringConstraints(pattern=STEPS)] | None = None
    skip: CountOrZero = 0
    gpu: CountOrZero | None = None
    order: Literal["start", "launch"] = "start"
    groups: tuple[GroupAttribution, ...] = ()


OBJECTIVES = ("first_publication", "producer_step", "chunk_interval")
Groups = Annotated[tuple[Name, ...], Field(min_length=2)]
Entries = Annotated[tuple[EntryName, ...], Field(min_length=2)]


class AtMost(Frozen):
    """The largest number that is allowed."""

    at_most: CountOrZero


class Requirement(Frozen):
    """Where *entry* runs a region, *needs* runs another: a prefill that feeds only its own talker."""

    entry: EntryName
    needs: EntryName


class TimeLimits(Frozen):
    """The longest times that are allowed, whatever is minimised."""

    first_publication_ps: DurationPs | None = Field(None, alias="first_publication_us")
    producer_step_ps: DurationPs | None = Field(None, alias="producer_step_us")
    chunk_interval_ps: DurationPs | None = Field(None, alias="chunk_interval_us")

    @property
    def stated(self) -> dict[str, int]:
        """The limits in picoseconds by objective."""
        times = (self.first_publication_ps, self.producer_step_ps, self.chunk_interval_ps)
        return {name: time for name, time in zip(OBJECTIVES, times, strict=True) if time is not None}


class Constraints(Frozen):
    """What a plan must keep to.

    *new_megakernels* counts regions whose entry nobody has measured. *conventional* are groups that stay on conventional kernels, and
    *entries* names the entry, or the implementation, that runs a group. Groups listed *together* share one region, no two of those *apart*
    do. Entries that *excludes* lists together never meet in one plan. *workspace_bytes* bounds the sum over all entries of a plan.
    """

    megakernels: AtMost | None = None
    new_megakernels: AtMost | None = None
    conventional: tuple[Name, ...] = ()
    entries: Mapping[Name, EntryName] = Field(default_factory=dict)
    together: tuple[Groups, ...] = ()
    apart: tuple[Groups, ...] = ()
    requires: tuple[Requirement, ...] = ()
    excludes: tuple[Entries, ...] = ()
    workspace_bytes: Bytes | None = None
    limits: TimeLimits | None = None

    @property
    def limited(self) -> dict[str, int]:
        """The limits on times in picoseconds, by objective."""
        return {} if self.limits is None else self.limits.stated


class Spec(Frozen):
    """One model to plan: what runs how often, what depends on what, and which evidence to use.

    *symbols* are the sizes that the operators of its contracts are written over (`layers: 16`). *compiled* are globs of what
    the compiler says that its kernels need, and *profiles* of what ran: `check` compares contracts and records with them, the latter
    told apart by *attribution*; no plan is made from them. *measured* are globs of runs that stand beside what is predicted of the same,
    and enter no score. *outside* lists the time that a profile has and the plan does not. *repeats* are
    the blocks of groups that run several times in a row; a file with one block need not write a list. *assume* says what megakernels
    that nobody built are taken to be like: plans have them, labelled so.
    """

    megasolve: Literal["spec/v1"]
    name: Name
    title: Text | None = None
    notes: Text | None = None
    device: Text
    other_devices: tuple[Text, ...] = ()
    precision: Name
    batches: Annotated[tuple[Count, ...], Field(min_length=1)]
    stated_objective: Objectives = Field("first_publication", alias="objective")
    constraints: Constraints = Field(default_factory=Constraints)
    groups: Annotated[tuple[GroupSpec, ...], Field(min_length=1)]
    edges: tuple[Edge, ...] = ()
    repeats: Annotated[
        tuple[RepeatedBlock, ...], BeforeValidator(one_as_list, json_schema_input_type=RepeatedBlock | tuple[RepeatedBlock, ...])
    ] = Field((), alias="repeat")
    symbols: Mapping[str, CountOrZero] = Field(default_factory=dict)
    stream: StreamSchedule | None = None
    arrivals: Arrivals | None = None
    publication: Publication | None = None
    policies: tuple[PolicyKind, ...] = ("serial", "fixed", "dynamic")
    budget_pairs: tuple[BudgetPair, ...] = ()
    partition_pairs: tuple[PartitionPair, ...] = ()
    partition_by: PartitionMechanism = "green_context"
    streams: StreamChoices = Field(default_factory=StreamChoices)
    hosts: Mapping[Name, Annotated[tuple[Name, ...], Field(min_length=1)]] = Field(default_factory=dict)
    contracts: tuple[Text, ...]
    records: tuple[Text, ...]
    compiled: tuple[Text, ...] = ()
    measured: tuple[Text, ...] = ()
    profiles: tuple[Text, ...] = ()
    attribution: Attribution | None = None
    outside: tuple[OutsideTime, ...] = ()
    assume: tuple[Assumption, ...] = ()
    ignore: tuple[Ignored, ...] = ()

    @property
    def stated_objectives(self) -> tuple[StatedObjective, ...]:
        """What is asked for as it is written, first things first."""
        return (self.stated_objective,) if isinstance(self.stated_objective, str) else self.stated_objective

    @property
    def is_by_capacity(self) -> bool:
        """Whether designs are told by how many streams they serve, too."""
        return "capacity" in self.stated_objectives

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """The times that are minimised, first things first; a capacity alone, which is none, looks at the time from chunk to chunk."""
        return tuple(one for one in self.stated_objectives if one != "capacity") or ("chunk_interval",)

    @property
    def objective(self) -> Objective:
        """What is minimised first."""
        return self.objectives[0]

    @property
    def is_steady(self) -> bool:
        """Whether something that is asked for looks at the stream long after its first publication."""
        return any(objective != "first_publication" for objective in (*self.objectives, *self.constraints.limited))

    def times_of(self, group: str) -> int:
        """How often *group* runs at each of its occurrences: once, or as often as the block that it is in."""
        return next((block.times for block in self.repeats if group in block.groups), 1)

    def call_shapes(self, group: GroupSpec, *, later: bool) -> dict[str, int]:
        """The shapes that a record of *group* must carry: the spec's and, for a windowed consumer, the frames of one chunk.

        The first chunk has no context to its left; a *later* one decodes that context again. It is as long as the first where the
        spec does not say.
        """
        if group.left_context_frames is None or self.stream is None:
            return dict(group.shapes)
        first = self.stream.first_chunk
        frames = (self.stream.next_chunk or first) + group.left_context_frames if later else first
        return {**group.shapes, "frames": frames}

    def shapes_of(self, group: GroupSpec) -> tuple[dict[str, int], ...]:
        """The shapes that the calls of *group* have: those of the first chunk, and those of a later one where something asks for it."""
        has_later = self.is_steady or (self.stream is not None and self.stream.next_chunk is not None)
        first, later = (self.call_shapes(group, later=later) for later in (False, True))
        return (first, later) if has_later and first != later else (first,)

    def groups_of(self, role: GroupRole) -> tuple[GroupSpec, ...]:
        """The groups of one role, in the spec's order."""
        return tuple(group for group in self.groups if group.role == role)
