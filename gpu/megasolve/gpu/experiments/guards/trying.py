"""Trying the guards in a child, and saying what they came to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from megasolve.contracts import Contract, Study

from ...children.child import Failed, Finished, run_in_child
from ...driver import DeviceFacts
from ...errors import GpuError
from ...harness.places.places import OnCpu, OnGpu
from ..co_runs.kernels import meeting_kernels
from .request import Guard, GuardRequest

_RUN = f"{__package__}.checks:run_guards"
_DEADLINE_S = 120.0


class NothingTried(GpuError):
    """The child died or refused before it could try the guards."""


@dataclass(frozen=True, slots=True)
class Tried:
    """The device as its driver describes it, the versions of what runs on it, and the guards."""

    device: DeviceFacts
    versions: Mapping[str, str]
    guards: tuple[Guard, ...]

    @property
    def is_sound(self) -> bool:
        """Whether every guard holds that is needed."""
        return all(guard.held or not guard.needed for guard in self.guards)

    def as_json(self) -> str:
        """Return all of it as JSON."""
        return json.dumps({"megasolve": "guards/v1", **asdict(self), "sound": self.is_sound}, indent=2) + "\n"

    def text(self) -> str:
        """Return it for a person: a line for the device, one for its versions, and one for each guard."""
        device = self.device
        about = f"{device.name}, {device.sms} SMs, compute capability {device.compute_capability}, {device.memory_bytes:,} bytes"
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        guards = [f"{_verdict(guard)}  {guard.name}: {guard.said}" for guard in self.guards]
        return "".join(f"{line}\n" for line in (about, versions, *guards))


def try_guards(study: Study, place: OnGpu | OnCpu, entry: str, device: str | None) -> Tried:
    """Return what the guards come to with the kernel of *entry*, on grids that fill the device together.

    Raises
    ------
    GpuError
        The spec has no such entry, or nothing could be tried.
    """
    contract = next((document.value for document in study.contracts if document.value.entry == entry), None)
    if contract is None:
        raise NothingTried(f"spec '{study.spec.value.name}' has no contract of '{entry}'")
    sms = study.device.value.usable_sms
    producer_ctas = -(-2 * sms // 3)
    request = GuardRequest(
        spec=study.spec.file,
        root=study.root,
        device=device,
        ordinal=place.ordinal,
        entry=entry,
        producer_ctas=producer_ctas,
        consumer_ctas=sms - producer_ctas,
        counts=place.counts,
    )
    contracts = {entry: contract}
    with _with_meeting(place, contract).environment(study, contracts) as environment:
        result = run_in_child(_RUN, request.as_json(), deadline_s=_DEADLINE_S, environment=environment)
    if not isinstance(result, Finished):
        raise NothingTried(result.message if isinstance(result, Failed) else f"the guards could not be tried: {result}")
    return Tried(DeviceFacts(**result.value["device"]), result.value["versions"], tuple(Guard(**guard) for guard in result.value["guards"]))


def _with_meeting(place: OnGpu | OnCpu, contract: Contract) -> OnGpu | OnCpu:
    return replace(place, others=(meeting_kernels(contract),)) if isinstance(place, OnCpu) else place


def _verdict(guard: Guard) -> str:
    return "held  " if guard.held else "FAILED" if guard.needed else "no    "
