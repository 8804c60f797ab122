"""The shape of `table/v1`: what `megasolve table --format json` prints."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from .shape import Batch, Exact, Ratio6, Shape, UsText


class SimulatedShape(Shape):
    """How a time was derived from the program in its contract."""

    tiles: int = Field(description="how many tiles were scheduled", examples=[8192])
    workers: int = Field(description="on how many workers", examples=[132])
    repeats_not_simulated: int = Field(description="repeats that were folded", examples=[12])
    never_staged: list[str] = Field(description="operators whose weights never fit a slot", examples=[[]])
    bandwidth_bound_ps: int = Field(description="its bytes over the bandwidth, in picoseconds", examples=[579075000000])
    path_bound_ps: int = Field(description="its longest chain, in picoseconds", examples=[420000000000])
    work_bound_ps: int = Field(description="its work over the workers, in picoseconds", examples=[510000000000])
    factors: dict[str, str] = Field(description="calibration factors by operator, as text", examples=[{}])


class CalibrationShape(Shape):
    """Factors that make the simulated standalone time the recorded one."""

    entry: str = Field(description="the entry whose record calibrates", examples=["D_graph"])
    operators: list[str] = Field(description="the operators that it scales", examples=[["qkv"]])
    factor: str = Field(description="the factor, as text", examples=["1.021"])
    simulated_us: UsText
    record_us: UsText
    finding: str | None = Field(description="why no factor explains the difference; null where one does", examples=[None])


class ServiceRowShape(Shape):
    """The time of one call of a group in an entry, on a budget, at a batch; null where nothing is known."""

    group: str = Field(description="the group", examples=["D"])
    backend: Literal["conventional", "megakernel"] = Field(description="the backend")
    entry: str = Field(description="the entry", examples=["D_graph"])
    budget_ctas: int = Field(description="the CTAs of the launch", examples=[132])
    batch: Batch
    shapes: dict[str, int] = Field(description="the sizes that the group's shapes ask for", examples=[{}])
    precision: str = Field(description="the precision", examples=["bf16"])
    context: dict[str, Any] = Field(description="launch, geometry, storage, synchronization and build of the entry")
    time_us: UsText | None = Field(description="the time; null where it is missing", examples=["581.501000"])
    time_ps: Exact | None = Field(description="the time, exact", examples=[581501000])
    hbm_bytes: int | None = Field(description="memory traffic; null where it is unknown", examples=[2490020868])
    accuracy: str | None = Field(description="the relative accuracy that its source states, as text", examples=[None])
    provenance: dict[str, Any] | None = Field(description="where the time comes from, as a record writes it")
    place: str | None = Field(description="the file and line of the record or program", examples=["records.yaml:12:3"])
    simulated: SimulatedShape | None = Field(description="of a derived time: how")
    bound_us: UsText | None = Field(description="the largest lower bound", examples=["579.075000"])
    bound_ps: int | None = Field(description="the same in picoseconds", examples=[579075000])
    bound_by: str | None = Field(description="which bound it is", examples=["bytes"])
    over_bound: Ratio6 | None = Field(description="the time over the bound, less one", examples=["0.004200"])
    flag: str | None = Field(description="what is odd about that", examples=[None])
    calibrations: list[CalibrationShape] = Field(description="what calibrates the program")
    missing: str | None = Field(description="why there is no time", examples=[None])
    notes: list[str] = Field(description="what to know before trusting it", examples=[[]])


class TableShape(Shape):
    """What `megasolve table --format json` prints."""

    megasolve: Literal["table/v1"] = Field(description="the kind of this result")
    spec: str = Field(description="the name of the spec", examples=["llama_1b"])
    device: str = Field(description="the name of the device", examples=["h200"])
    without: list[str] = Field(description="mechanisms that were off", examples=[[]])
    rows: list[ServiceRowShape] = Field(description="a row for each time that a plan may ask for")
