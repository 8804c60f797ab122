"""What a child answers: the samples of each experiment with what they were taken under, and why others have none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import TypeAdapter

from ..driver import DeviceFacts
from .protocol import Samples
from .request import Experiment


@dataclass(frozen=True, slots=True)
class LaunchFacts:
    """How a kernel was launched, and what it needs as the driver says."""

    grid_ctas: int
    block_threads: int
    shared_bytes: int
    cooperative: bool
    ctas_per_sm: int
    registers: int
    local_bytes: int


@dataclass(frozen=True, slots=True)
class Timed:
    """An experiment with its samples. *relative_l2* is its distance to the reference, *symbol* its kernel, the first of several."""

    experiment: Experiment
    samples: Samples
    relative_l2: float
    launch: LaunchFacts
    symbol: str
    cubin_sha256: str
    compiler: str
    options: tuple[str, ...]
    source_sha256: str


@dataclass(frozen=True, slots=True)
class Failure:
    """An experiment that gives no time, and why in one line; *detail* is more to read, such as the log of a compiler."""

    experiment: Experiment
    message: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Repeat:
    """An experiment of the beginning, timed again at the end, up to three times: both times the raw median over the calls of a sample.

    Of several times at the end the lower median counts, so that one noisy one decides nothing.
    """

    experiment: Experiment
    first_us: float
    again_us: float

    @property
    def drift(self) -> float:
        """How far the second time is from the first, relative."""
        # Nothing is near to a first time that is not positive.
        return abs(self.again_us - self.first_us) / self.first_us if self.first_us > 0 else float("inf")


@dataclass(frozen=True, slots=True)
class WholeTime:
    """All conventional kernels of a call in one graph: the median of its calls, and what its launches take empty."""

    kernels: int
    call_us: float
    empty_us: float


@dataclass(frozen=True, slots=True)
class BlockResult:
    """The answer of a child. Of a block that a failure cut short it has what was finished; the rest is to be asked again.

    *repeat* is of the experiment that came out nearest to its first time at the end, and judges the whole block. Those of *unsteady* did
    not come out as they had, although that one did: they judge only themselves.
    """

    device: DeviceFacts
    versions: Mapping[str, str]
    timed: tuple[Timed, ...] = ()
    failures: tuple[Failure, ...] = ()
    repeat: Repeat | None = None
    whole: WholeTime | None = None
    unsteady: tuple[Repeat, ...] = ()

    def repeat_of(self, experiment: Experiment) -> Repeat | None:
        """Return the repeat that judges *experiment*: its own, where it is the only one that did not come out as it had."""
        return next((repeat for repeat in self.unsteady if repeat.experiment == experiment), self.repeat)


TIMED, BLOCK_RESULT = TypeAdapter(Timed), TypeAdapter(BlockResult)
"""How what was timed, and the answer of a child, come back as values of JSON."""
