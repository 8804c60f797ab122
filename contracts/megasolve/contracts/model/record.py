"""The records file: observed times of calls of groups, each with its full key and its provenance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from .base import Bytes, Count, CountOrZero, DurationPs, EntryName, Frozen, Ignored, Name, Relative, Sha256, Text
from .contract import Backend
from .measurement import Measurement

Evidence = Literal["measured", "profiled", "tile-simulated", "published", "reconstructed", "assumed"]
Statistic = Literal["lower_median", "minimum", "maximum", "p95"]
Held = Literal["ramp", "gap"]
AS_PROFILED: tuple[Held, ...] = ("ramp",)
"""What the time of a kernel holds beside its work, as a profiler takes it: from its first to its last CTA."""
SIMULATED_HARDWARE = "simulated-hardware"


class Provenance(Frozen):
    """Where a record comes from. *fake* marks a run on a stand-in for the hardware: never accepted as measured.

    *source_sha256* is the hash of the kernel's code, *profile_sha256* that of the profile which *source* names. *measurement* says how
    samples were taken.
    """

    kind: Evidence
    source: Text
    date: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")] | None = None
    tool: Text | None = None
    device_sms: Count | None = None
    versions: Mapping[str, str] = Field(default_factory=dict)
    source_sha256: Sha256 | None = None
    profile_sha256: Sha256 | None = None
    measurement: Measurement | None = None
    fake: bool = False

    @property
    def label(self) -> str:
        """The kind of evidence as results name it; what ran on a stand-in is never called anything else."""
        return SIMULATED_HARDWARE if self.fake else self.kind


class Record(Frozen):
    """The time, and where known the HBM bytes, of one call of *group* on *backend* with *budget_ctas* CTAs under *context*.

    Exactly one of *duration_us* and *samples_us* is given. *entries* names the compiled entries that the record belongs
    to (membership is part of the context). For the conventional backend *budget_ctas* is the device's SM count, and *holds* says what
    the time has in it beside the work of its kernels: their ramps, the gaps before them, both, or neither; by default what a profiler
    sees of a kernel, its ramp.
    """

    group: Name
    backend: Backend
    entries: Annotated[tuple[EntryName, ...], Field(min_length=1)]
    budget_ctas: Count
    batch: Count
    precision: Name
    device: Name
    context: Mapping[str, Any]
    shapes: Mapping[str, CountOrZero] = Field(default_factory=dict)
    duration_ps: DurationPs | None = Field(None, alias="duration_us")
    samples_ps: tuple[DurationPs, ...] | None = Field(None, alias="samples_us")
    statistic: Statistic = "lower_median"
    holds: tuple[Held, ...] = AS_PROFILED
    hbm_bytes: Bytes | None = None
    accuracy: Relative | None = None
    beside: Text | None = None
    provenance: Provenance

    @property
    def time_ps(self) -> int:
        """The time that the record states: its value, or the named statistic of its samples (lower median by default)."""
        if self.duration_ps is not None:
            return self.duration_ps
        ordered = sorted(self.samples_ps or ())
        last = len(ordered) - 1
        rank = {"lower_median": last // 2, "minimum": 0, "maximum": last, "p95": -(-len(ordered) * 95 // 100) - 1}
        return ordered[rank[self.statistic]]


class Records(Frozen):
    """A records file. As JSON lines: this object's head without *records* on the first line, one record on each further."""

    megasolve: Literal["records/v1"]
    title: Text | None = None
    definitions: Mapping[str, Any] | None = None
    ignore: tuple[Ignored, ...] = ()
    records: tuple[Record, ...]
