"""What a record says that no profile does: the device by its file, the batch and the precision, stated or assumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..model.device import Device
from ..model.wording import counted
from ..observe.observation import Observation
from .device import goes_by
from .words.precision import UNSTATED, NamedPrecision, named_precision

_UNKNOWN_BATCH = 1


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Where and how the kernels of a profile ran, as records say it."""

    device: Device
    batch: int
    precision: str


def circumstances(
    observation: Observation, device: Device, batch: int | None, precision: str | None
) -> tuple[Circumstances, Mapping[str, str]]:
    """Return the circumstances with what was stated, and why each of the others is assumed, by the key of the spec that holds it."""
    named = named_precision(observation.kernels)
    at = Circumstances(device, batch or observation.batch or _UNKNOWN_BATCH, precision or named.assumed)
    reasons = {
        "device": _device_reason(observation, device),
        "precision": None if precision else _precision_reason(named),
        "batches": None if batch else _batch_reason(observation),
    }
    return at, {key: reason for key, reason in reasons.items() if reason is not None}


def assumed_sentences(assumed: Mapping[str, str]) -> Iterator[str]:
    """Yield one sentence for each assumption."""
    yield from (f"assumed {key}: {reason}" for key, reason in assumed.items())


def _device_reason(observation: Observation, device: Device) -> str | None:
    name = None if observation.device is None else observation.device.name
    if name is not None and goes_by(device, name):
        return None
    return f"as asked for; the profile {f'names its GPU {name!r}' if name else 'does not name its GPU'}"


def _batch_reason(observation: Observation) -> str:
    if observation.batch is None:
        return "no profile says how many requests ran at once; --batch N states it"
    requests = f"{counted(observation.batch, 'request')} of {counted(observation.tokens or 1, 'token')}"
    return f"the shapes of its operands say {requests}; --batch N states it"


def _precision_reason(named: NamedPrecision) -> str:
    if named.most is None:
        return "no kernel name says it; --precision NAME states it"
    share = f"{named.share_permille // 10} %" if named.share_permille >= 10 else "less than 1 %"
    if named.assumed == UNSTATED:
        return f"only kernels with {share} of the time have {named.most} in their names, too few to tell; --precision NAME states it"
    return f"kernels with {share} of the time have {named.most} in their names; --precision NAME states it"
