"""Trying the guards in a child, and saying what they came to."""

from __future__ import annotations

import json
from dataclasses import replace

from megasolve.contracts import Contract, Study

from ...children.child import Failed, Finished, run_in_child
from ...errors import GpuError
from ...harness.places.places import OnCpu, OnGpu
from ..co_runs.kernels import meeting_kernels
from .request import GUARD_REQUEST, TRIED, Guard, GuardRequest, Tried

_RUN = f"{__package__}.checks:run_guards"
_DEADLINE_S = 120.0


class NothingTried(GpuError):
    """The child died or refused before it could try the guards."""


def tried_json(tried: Tried) -> str:
    """Return all that was tried as JSON."""
    return json.dumps({"megasolve": "guards/v1", **TRIED.dump_python(tried, mode="json"), "sound": tried.is_sound}, indent=2) + "\n"


def tried_text(tried: Tried) -> str:
    """Return it for a person: a line for the device, one for its versions, and one for each guard."""
    device = tried.device
    about = f"{device.name}, {device.sms} SMs, compute capability {device.compute_capability}, {device.memory_bytes:,} bytes"
    versions = ", ".join(f"{name} {version}" for name, version in tried.versions.items())
    guards = [f"{_verdict(guard)}  {guard.name}: {guard.said}" for guard in tried.guards]
    return "".join(f"{line}\n" for line in (about, versions, *guards))


def try_guards(study: Study, place: OnGpu | OnCpu, entry: str | None, device: str | None) -> Tried:
    """Return what the guards come to with the kernel of *entry*, on grids that fill the device together.

    Without one it is the persistent entry of the fewest groups, of consumers where there is such a one: it compiles soonest.

    Raises
    ------
    GpuError
        The spec has no such entry, or nothing could be tried.
    """
    contract = _contract(study, entry)
    sms = study.device.value.usable_sms
    # Two to one: on 132 SMs that is 88 and 44, the split that the paper selects (section IV.E).
    producer_ctas = -(-2 * sms // 3)
    request = GuardRequest(
        spec=study.spec.file,
        root=study.root,
        device=device,
        ordinal=place.ordinal,
        entry=contract.entry,
        producer_ctas=producer_ctas,
        consumer_ctas=sms - producer_ctas,
        counts=place.counts,
    )
    contracts = {contract.entry: contract}
    with _with_meeting(study, place, contract).environment(study, contracts) as environment:
        result = run_in_child(_RUN, GUARD_REQUEST.dump_python(request, mode="json"), deadline_s=_DEADLINE_S, environment=environment)
    if not isinstance(result, Finished):
        raise NothingTried(result.message if isinstance(result, Failed) else f"the guards could not be tried: {result}")
    return TRIED.validate_python(result.value)


def _contract(study: Study, entry: str | None) -> Contract:
    spec, takers = study.spec.value, {group.name for group in study.spec.value.groups_of("consumer")}
    if entry is None:
        persistent = [document.value for document in study.contracts if document.value.backend == "megakernel"]
        if not persistent:
            raise NothingTried(f"spec '{spec.name}' has no contract of a megakernel, and the guards need the kernel of one")
        return min(persistent, key=lambda one: (not {*one.members} <= takers, len(one.members), one.entry))
    found = next((document.value for document in study.contracts if document.value.entry == entry), None)
    if found is None:
        raise NothingTried(f"spec '{spec.name}' has no contract of '{entry}'")
    return found


def _with_meeting(study: Study, place: OnGpu | OnCpu, contract: Contract) -> OnGpu | OnCpu:
    return replace(place, others=(meeting_kernels(study, contract),)) if isinstance(place, OnCpu) else place


def _verdict(guard: Guard) -> str:
    return "held  " if guard.held else "FAILED" if guard.needed else "no    "
