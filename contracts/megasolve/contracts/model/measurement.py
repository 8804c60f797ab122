"""How a measured record was taken: the launch, the samples behind it, and the state of the device around them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Bytes, CostPs, Count, CountOrZero, DurationPs, Frozen, Relative, Sha256, Text


class MeasuredLaunch(Frozen):
    """The launch that was timed, and what the driver says that its kernel needs; of several kernels the first."""

    symbol: Text
    grid_ctas: Count
    threads: Count
    shared_bytes: Bytes
    cooperative: bool
    ctas_per_sm: CountOrZero
    registers: CountOrZero
    local_bytes: Bytes


class MeasuredClocks(Frozen):
    """The clock of the SMs before and after the samples, and the temperature and power after them; what is unknown is absent."""

    before_mhz: CountOrZero | None = None
    after_mhz: CountOrZero | None = None
    temperature_c: int | None = None
    power_mw: CountOrZero | None = None


class Measurement(Frozen):
    """How samples were taken.

    Each of *raw_us* is the time of *calls_per_sample* calls with their launches; *overhead_us* is what the same launches take with
    nothing to do, and no part of the record's time. *interval_us* holds the median of a call with 95 % confidence, *spread* is the
    interquartile range of the raw samples over their median, *relative_l2* the distance of the results to the reference. *cache*
    says whether the caches held what the launch before left in them (warm), or were overwritten before each sample (cold).
    """

    cache: Literal["warm", "cold"]
    warmups: CountOrZero
    calls_per_sample: Count
    raw_ps: tuple[DurationPs, ...] = Field(alias="raw_us")
    overhead_ps: CostPs = Field(alias="overhead_us")
    interval_ps: tuple[CostPs, CostPs] = Field(alias="interval_us")
    spread: Relative
    relative_l2: Relative
    launch: MeasuredLaunch
    clocks: MeasuredClocks
    cubin_sha256: Sha256
    options: tuple[str, ...]
