"""The shape of `profiles/v1`: what `megasolve import --format json` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .shape import Shape, UsText

_Times = list[str]


class ProfiledDeviceShape(Shape):
    """A device as its profile names it; what the profile does not say is null."""

    number: int | None = Field(description="its number", examples=[0])
    name: str | None = Field(description="its name", examples=["NVIDIA H100 80GB HBM3"])
    sms: int | None = Field(description="its SMs", examples=[132])
    compute_capability: str | None = Field(description="its architecture", examples=["9.0"])


class KernelShapeShape(Shape):
    """A kernel with its launch shape; what a profile does not say is null."""

    name: str = Field(description="its name", examples=["flash_fwd_kernel"])
    grid: list[int] | None = Field(description="its grid; null where a file has only the product", examples=[[132, 1, 1]])
    block: list[int] | None = Field(description="its block; null where a file has only the product", examples=[[256, 1, 1]])
    ctas: int | None = Field(description="blocks in all", examples=[132])
    threads: int | None = Field(description="threads of a block", examples=[256])
    registers: int | None = Field(description="registers of a thread", examples=[168])
    static_shared_bytes: int | None = Field(description="static shared memory of a block", examples=[1024])
    dynamic_shared_bytes: int | None = Field(description="dynamic shared memory of a block", examples=[122880])
    shared_bytes: int | None = Field(description="both", examples=[123904])
    shared_tolerance_bytes: int | None = Field(description="what rounding in the file may make of it", examples=[0])
    cluster_ctas: int | None = Field(description="blocks of a cluster", examples=[1])


class SpentShape(KernelShapeShape):
    """What one kernel takes in all."""

    launches: int = Field(description="how often it was launched", examples=[24])
    total_us: UsText | None = Field(description="its time in all", examples=["1234.500000"])
    hbm_bytes: int | None = Field(description="its memory traffic; null where it is unknown", examples=[None])
    hbm_tolerance_bytes: int | None = Field(description="what rounding in the file may make of it", examples=[None])


class BusyShape(Shape):
    """The time in which a device ran at least one kernel."""

    device: int | None = Field(description="its number", examples=[0])
    busy_us: UsText


class WaitsShape(Shape):
    """Waits before one kernel that no launch costs."""

    before: str = Field(description="the kernel", examples=["argmax"])
    waits: int = Field(description="how many", examples=[3])
    total_us: UsText
    usual_us: UsText = Field(description="the lower median of them", examples=["41.200000"])
    because: str = Field(description="why no launch costs them", examples=["the host waited for the device"])


class ProfileShape(Shape):
    """What one file holds."""

    file: str = Field(description="the file", examples=["trace.json.gz"])
    sha256: str = Field(description="the hash of its content", examples=["3f0a..."])
    format: str = Field(description="its format", examples=["kineto"])
    granularity: Literal["kernel", "graph", "layer"] = Field(description="what its rows are")
    versions: dict[str, str] = Field(description="versions by name", examples=[{}])
    devices: list[ProfiledDeviceShape] = Field(description="its devices")
    rank: int | None = Field(description="the rank of the process", examples=[0])
    world_size: int | None = Field(description="how many ranks there are", examples=[1])
    kernels: int = Field(description="how many launches", examples=[1465])
    distinct_names: int = Field(description="how many names", examples=[41])
    sum_us: UsText | None = Field(description="the sum of all times", examples=["49652.832000"])
    union_us: UsText | None = Field(description="time with at least one kernel", examples=["49652.832000"])
    span_us: UsText | None = Field(description="from the first begin to the last end", examples=["61000.000000"])
    busy_us: list[BusyShape] = Field(description="the same by device")
    hbm_bytes: int | None = Field(description="memory traffic of all kernels; null where one is unknown", examples=[None])
    hbm_tolerance_bytes: int | None = Field(description="what rounding in the file may make of it", examples=[None])
    graph_replays: int = Field(description="replays of graphs that show no kernels", examples=[0])
    iterations_us: _Times = Field(description="whole runs of an engine, as text", examples=[[]])
    dropped: dict[str, int] = Field(description="rows that were left out, by reason", examples=[{}])
    notes: list[str] = Field(description="what to know of it", examples=[[]])
    unfit: list[str] = Field(description="why nothing is planned from it", examples=[[]])
    by_kernel: list[SpentShape] = Field(description="the kernels, those of most time first")
    outside: list[WaitsShape] = Field(description="waits that no launch costs, where no groups or steps were asked for")


class ObservedGroupShape(Shape):
    """What was observed of one group."""

    group: str = Field(description="the group", examples=["B"])
    occurrences: int = Field(description="how often it ran", examples=[24])
    per_step: int | None = Field(description="how often in each step", examples=[1])
    in_steps: bool = Field(description="whether a step holds it", examples=[True])
    samples_us: _Times = Field(description="the time of its kernels in each occurrence, as text")
    gap_samples_us: _Times = Field(description="the gaps between them in each occurrence, as text")


class ObservedKernelShape(KernelShapeShape):
    """What was observed of one kernel of a group."""

    group: str = Field(description="its group", examples=["B"])
    launches: int = Field(description="launches in each occurrence", examples=[2])
    samples_us: _Times = Field(description="its time in each occurrence, as text")
    gap_samples_us: _Times = Field(description="the gap before it in each occurrence, as text")
    hbm_bytes: int | None = Field(description="its memory traffic; null where it is unknown", examples=[None])


class UnmatchedShape(ObservedKernelShape):
    """A kernel that belongs to no contract."""

    because: str = Field(description="why", examples=["no contract of group B observes it"])


class UnattributedShape(KernelShapeShape):
    """A kernel that belongs to no group."""

    launches: int = Field(description="how often it was launched", examples=[3])
    total_us: UsText
    because: str = Field(description="why", examples=["no pattern matches it"])


class ObservationShape(Shape):
    """What profiles say of groups and steps on one device."""

    files: list[str] = Field(description="the files", examples=[["trace.json.gz"]])
    device: ProfiledDeviceShape | None = Field(description="the device")
    rank: int | None = Field(description="the rank", examples=[0])
    steps: int = Field(description="steady steps that were seen", examples=[24])
    span_samples_us: _Times = Field(description="how long each step took, as text")
    outside_samples_us: _Times = Field(description="the time of each step that is in no kernel and no gap, as text")
    outside: list[WaitsShape] = Field(description="waits that no launch costs")
    groups: list[ObservedGroupShape] = Field(description="the groups")
    kernels: list[ObservedKernelShape] = Field(description="their kernels")
    left_out: list[str] = Field(description="what was left out, and why", examples=[[]])
    unattributed: list[UnattributedShape] = Field(description="kernels that belong to no group")
    notes: list[str] = Field(description="what to know of it", examples=[[]])
    unfit: list[str] = Field(description="why nothing is planned from it", examples=[[]])


class ProfilesShape(Shape):
    """What `megasolve import --format json` prints."""

    megasolve: Literal["profiles/v1"] = Field(description="the kind of this result")
    profiles: list[ProfileShape] = Field(description="what each file holds; nothing is added up over files")
    observations: list[ObservationShape] = Field(description="what they say of groups, where that was asked for")
    records: str | None = Field(description="the file that records were written to", examples=[None])
    unmatched: list[UnmatchedShape] = Field(description="kernels that belong to no contract of the spec")
