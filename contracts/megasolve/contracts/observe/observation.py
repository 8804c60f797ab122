"""What an execution says about the groups of a spec: which kernels each runs per occurrence, how long they take, and what else ran.

An *occurrence* of a group is one instance of its annotation ranges, or one step where the group has none. All times are exact
picoseconds; what a profile does not say is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median_low
from typing import Literal

from ..profiles.errors import ProfileRefused
from ..profiles.execution import KernelShape, ObservedDevice
from .shapes.shaped import Computed

AUTO = "auto"

Part = Literal["before", "after"]
"""Where the kernels outside of the steps stand: before the first one, or after the last one."""


@dataclass(frozen=True, slots=True)
class StepPlaces:
    """Kernels of a step by their place in it, from 0: *kernels* of them from *first* on, again every *every* kernels, *times* times."""

    first: int
    kernels: int
    every: int = 0
    times: int = 1

    def starts(self) -> range:
        """The place of the first kernel of each time."""
        return range(self.first, self.first + max(self.every, 1) * self.times, max(self.every, 1))


@dataclass(frozen=True, slots=True)
class GroupRule:
    """Which kernels belong to *group*: globs on the annotations around their launch, and globs on their names.

    With both, a kernel has to match one of each. A rule with neither takes what no other rule takes. The first rule that matches wins.
    With *part* it takes kernels outside of the steps only, all of them there where it has no patterns; with *places* those of a step by
    their order.
    """

    group: str
    ranges: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    part: Part | None = None
    places: StepPlaces | None = None

    @property
    def takes_the_rest(self) -> bool:
        """Whether the rule stands for whatever no other rule takes."""
        return not self.ranges and not self.names and self.part is None and self.places is None


PlaceOrder = Literal["start", "launch"]
"""In which order the kernels of a step are counted: as they start, or as the host called for them."""


@dataclass(frozen=True, slots=True)
class StepsBy:
    """How steps are found: the whole profile is one, instances of the annotations *marks*, repetitions of *period* kernels, or *replays*.

    Where nobody said how (*is_usual*) the marks that profilers write for steps are taken, and without those the whole profile. *marks* is a
    glob such as ``ProfilerStep#*``; *period* is a number of kernels, or ``auto`` to find it. The first *skip* steps are left out in any
    case. A file that gives sums alone holds *count* steps. The places in a step are counted in *order*. Raises ValueError where both are
    given, or a number is out of range.
    """

    marks: str | None = None
    period: int | str | None = None
    skip: int = 0
    is_usual: bool = False
    replays: bool = False
    count: int = 1
    order: PlaceOrder = "start"

    def __post_init__(self) -> None:
        if self.marks is not None and self.period is not None:
            raise ValueError("steps are found by marks or by a period, not by both")
        if isinstance(self.period, str) and self.period != AUTO:
            raise ValueError(f"period: found '{self.period}', expected a number of kernels or '{AUTO}'")
        if isinstance(self.period, int) and self.period < 1:
            raise ValueError(f"period: found {self.period}, expected at least 1 kernel")
        if self.skip < 0:
            raise ValueError(f"skip: found {self.skip}, expected 0 steps or more")

    @property
    def is_whole(self) -> bool:
        """Whether the whole profile is one step."""
        return self.marks is None and self.period is None and not self.replays


@dataclass(frozen=True, slots=True)
class AttributedBy:
    """How kernels are given to groups and steps; *device* chooses one where the profile has several."""

    rules: tuple[GroupRule, ...]
    steps: StepsBy = StepsBy(is_usual=True)
    device: int | None = None


@dataclass(frozen=True, slots=True)
class ObservedKernel:
    """The equal launches of one kernel in one group, over the steady occurrences of that group.

    Attributes
    ----------
    launches
        How many there are per occurrence (the lower median where it differs).
    samples_ps
        Per steady occurrence that ran it: the sum of the durations of its launches.
    gap_samples_ps
        Per the same occurrence: the idle time of the device before those launches, less *overlapped_ps*, so that samples and gaps add up to
        the union of the intervals and the idle time between them. Empty where the profile has no timeline.
    overlapped_ps
        Per the same occurrence: the part of the durations that ran beside earlier launches of the same group or stream.
    beside
        The groups that launches of its group ran beside, where none of its time is standalone; else empty.
    hbm_bytes
        Per occurrence, all launches together; None where nothing measured it.
    order
        The position of its first launch within the occurrence of the group, from 0.
    is_placed
        Whether it is the launch at one place of a step that repeats, and not all equal launches: its samples are one for each repeat.
        *gap_samples_ps* then leave out the first repeat, before which other kernels stand.
    computed
        What each of the launches of an occurrence computes, nothing for one that is not recognized; empty where no shapes were recorded.
    """

    group: str
    shape: KernelShape
    launches: int
    samples_ps: tuple[int, ...]
    gap_samples_ps: tuple[int, ...] = ()
    overlapped_ps: tuple[int, ...] = ()
    hbm_bytes: int | None = None
    order: int = 0
    beside: tuple[str, ...] = ()
    is_placed: bool = False
    computed: tuple[tuple[Computed, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class ObservedGroup:
    """One group over its steady occurrences: per occurrence *samples_ps* is the union of its intervals, *gap_samples_ps* the idle time.

    *per_step* is how many occurrences a step has (the lower median); it is what a spec calls the calls of a group. *marks* names the
    annotations that the occurrences come from, and is None where they are the steps. A group whose occurrences no step holds, such as an
    admission before all steps, is not *in_steps*. Where none of its time is standalone, *beside* names the groups that it ran beside.
    A group of a block that repeats within a step has *times* occurrences in a row there, which are no calls.
    """

    group: str
    occurrences: int
    per_step: int
    samples_ps: tuple[int, ...]
    gap_samples_ps: tuple[int, ...] = ()
    marks: tuple[str, ...] | None = None
    in_steps: bool = True
    beside: tuple[str, ...] = ()
    times: int = 1


@dataclass(frozen=True, slots=True)
class Outside:
    """Waits *before* launches of one kernel that no launch costs, each with its time, and why they count as such: part of no gap."""

    before: str
    because: str
    times_ps: tuple[int, ...]

    @property
    def total_ps(self) -> int:
        """All of them together."""
        return sum(self.times_ps)

    @property
    def usual_ps(self) -> int:
        """Their lower median."""
        return median_low(self.times_ps)


@dataclass(frozen=True, slots=True)
class StepTime:
    """One step: *kernels_ps* of *launches*, *copies_ps*, and the idle time by cause; together what the step took, *other_ps* included."""

    launches: int
    kernels_ps: int
    copies_ps: int
    launching_ps: int
    host_ps: int
    other_ps: int

    @property
    def total_ps(self) -> int:
        """All of it."""
        return self.kernels_ps + self.copies_ps + self.idle_ps

    @property
    def idle_ps(self) -> int:
        """The time in which the device did nothing."""
        return self.launching_ps + self.host_ps + self.other_ps


@dataclass(frozen=True, slots=True)
class Unattributed:
    """Launches within the steady steps that no group accounts for, over all of these steps, and why."""

    shape: KernelShape
    launches: int
    total_ps: int
    because: str


@dataclass(frozen=True, slots=True)
class ObservedFile:
    """A file that the observation rests on, with the tool that wrote it."""

    file: str
    sha256: str
    tool: str
    versions: Mapping[str, str] = field(default_factory=dict)
    granularity: str = "kernel"


@dataclass(frozen=True, slots=True)
class Observation:
    """Everything that is learnt from one device of one execution.

    Attributes
    ----------
    kernels
        By group in the order of the rules, then by order within the occurrence.
    groups
        One for each rule that took kernels, in the order of the rules.
    steps
        How many steady steps there are; 0 where the profile has no timeline.
    left_out
        Which steps and kernels were left out and why, one sentence each.
    unattributed
        The longest first.
    is_shared
        Whether launches of one group ran beside those of another.
    steps_by
        How the steps were found.
    unfit
        Why nothing may be planned from it, although it may be shown; empty where it is evidence.
    span_samples_ps
        Per steady step: from the end of the step before (or from its own first start, where no steady step is before it) to its end,
        without the time outside.
    outside
        The waits that no launch costs, those of most time first; *outside_samples_ps* is their time per steady step.
    batch, tokens
        How many requests ran at once, and of how many tokens each, as recorded shapes say it.
    step_time
        What the device did in the steady step of the lower median length, None where the profile has no timeline.
    """

    kernels: tuple[ObservedKernel, ...]
    steps: int
    groups: tuple[ObservedGroup, ...] = ()
    left_out: tuple[str, ...] = ()
    unattributed: tuple[Unattributed, ...] = ()
    span_samples_ps: tuple[int, ...] = ()
    outside: tuple[Outside, ...] = ()
    outside_samples_ps: tuple[int, ...] = ()
    device: ObservedDevice | None = None
    rank: int | None = None
    notes: tuple[str, ...] = ()
    sources: tuple[ObservedFile, ...] = ()
    is_shared: bool = False
    steps_by: StepsBy = StepsBy()
    unfit: tuple[str, ...] = ()
    batch: int | None = None
    tokens: int | None = None
    step_time: StepTime | None = None

    def refuse_unfit(self) -> None:
        """Raise ProfileRefused where nothing may be planned from what was observed."""
        for reason in self.unfit:
            raise ProfileRefused(self.sources[0].file, reason)
