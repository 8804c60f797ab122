"""Which times of a study nobody recorded, so that plans derive them from the programs in its contracts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ..files.documents import Document
from ..files.study import Study
from ..model.spec import Spec
from .recorded import Recorded, asked_calls, is_launchable


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """How many times of *spec* on *device* are derived, by group in the order of the spec, of how many that have programs.

    *can_be_measured* says whether a contract names the workload of its kernel.
    """

    spec: Document[Spec]
    device: str
    groups: tuple[tuple[str, int], ...]
    programmed: int
    can_be_measured: bool = False

    @property
    def derived(self) -> int:
        """How many times are derived in all."""
        return sum(count for _, count in self.groups)


def unmeasured(study: Study) -> Unmeasured | None:
    """Return which times of *study* are derived; None where none is.

    A time is one of a group in an entry with a program of it, at a budget that can be launched, a batch of the spec and the shapes of
    a call. One that was taken on a stand-in for the hardware is not recorded.
    """
    recorded = Recorded(study)
    programmed = [asked.key for asked in asked_calls(study) if asked.has_program and is_launchable(study, asked)]
    derived = tuple(Counter(key.group for key in programmed if not recorded.has(key)).items())
    has_workload = any(contract.value.workload for contract in study.contracts)
    return Unmeasured(study.spec, study.device.value.name, derived, len(programmed), has_workload) if derived else None
