"""Which device file describes the GPU that a profile names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from ..files.device_files import device_file, is_device_path, known_devices
from ..files.documents import Document
from ..files.library import Library
from ..files.study import find_device
from ..model.device import Device
from ..model.wording import quoted
from ..observe.observation import Observation
from ..profiles.errors import ProfileRefused
from ..profiles.execution import Execution, ObservedDevice
from .words.device_text import drafted_device

DEVICE_FILE = "device.yaml"

_WAY_OUT = "say which device it is with --device NAME or --device FILE"


def profiled_device(observed: ObservedDevice | None, profile: str, folder: str, wanted: str | None = None) -> Document[Device]:
    """Return the device that *profile* ran on: *wanted* by name or path, else the one whose driver names have the observed one.

    Parameters
    ----------
    folder
        Where the spec stands or will stand: devices beside it are known, too.

    Raises
    ------
    ProfileRefused
        No device is known for the GPU, the profile names none, the device file is not usable, or the SM counts differ.
    UnknownDevice
        No device has the name *wanted*.
    """
    device = _named_device(observed, profile, folder) if wanted is None else _asked_device(wanted, profile, folder)
    sms = None if observed is None else observed.sms
    if sms is not None and sms != device.value.usable_sms:
        usable, name = device.value.usable_sms, device.value.name
        raise ProfileRefused(profile, f"ran on a GPU with {sms} SMs visible, device '{name}' has {usable} usable ones; {_WAY_OUT}")
    return device


@dataclass(frozen=True, slots=True)
class StudyDevice:
    """The *device* of a new study, how its spec names it (*reference*), and the *text* of its file where the study brings it along."""

    device: Device
    reference: str
    text: str | None = None


def study_device(observed: ObservedDevice | None, profile: str, folder: str, beside: str, wanted: str | None) -> StudyDevice:
    """Return the device of a study in *folder* whose files lie *beside*: a known one, else the one that *profile* describes.

    Raises as `profiled_device` does, where the profile describes none.
    """
    try:
        known = profiled_device(observed, profile, folder, wanted)
    except ProfileRefused:
        drafted = None if wanted is not None else drafted_device(observed, PurePath(profile).name)
        if drafted is None or _is_known(observed, folder):
            raise
        return StudyDevice(drafted[0], _path_reference(f"{beside}/{DEVICE_FILE}"), drafted[1])
    return StudyDevice(known.value, device_reference(known, folder, wanted))


def known_device(observed: ObservedDevice | None) -> Device | None:
    """Return the shipped device that goes by the name of *observed*, if there is one."""
    found = None if observed is None or observed.name is None else _by_name(observed.name, ".")
    return None if found is None else found.value


def _is_known(observed: ObservedDevice | None, folder: str) -> bool:
    """Whether a device goes by the name of *observed*, and is refused for another reason."""
    return observed is not None and observed.name is not None and _by_name(observed.name, folder) is not None


def identified(observation: Observation, executions: Sequence[Execution]) -> Observation:
    """Return *observation* with its GPU, also where kernels count devices otherwise than the file does: the only one must be it."""
    listed = {device for execution in executions for device in execution.devices}
    return replace(observation, device=listed.pop()) if observation.device is None and len(listed) == 1 else observation


def goes_by(device: Device, name: str) -> bool:
    """Whether *name* is what the driver calls *device*."""
    return name.strip().casefold() in {known.casefold() for known in device.driver_names}


def device_reference(device: Document[Device], folder: str, wanted: str | None) -> str:
    """Return how a spec in *folder* names *device*: by its name, or by its path from there where a path was asked for."""
    if wanted is not None and is_device_path(wanted):
        return _path_reference(os.path.relpath(device.file, folder))
    return wanted or device.value.name


def _path_reference(path: str) -> str:
    return path if is_device_path(path) else f"./{path}"


def _asked_device(wanted: str, profile: str, folder: str) -> Document[Device]:
    document = find_device(Library(), wanted, folder)
    if document is None:
        raise ProfileRefused(profile, f"the device file {wanted} has faults; megasolve check {wanted} shows them")
    return document


def _named_device(observed: ObservedDevice | None, profile: str, folder: str) -> Document[Device]:
    name = None if observed is None else observed.name
    if not name:
        raise ProfileRefused(profile, f"does not name its GPU; {_WAY_OUT} (known: {', '.join(known_devices(folder))})")
    found = _by_name(name, folder)
    if found is None:
        raise ProfileRefused(
            profile, f"ran on {quoted(name)}, which no device file knows; {_WAY_OUT} (known: {', '.join(known_devices(folder))})"
        )
    return found


def _by_name(name: str, folder: str) -> Document[Device] | None:
    library = Library()
    for known in known_devices(folder):
        document = library.read(device_file(known, folder) or known)
        if document is not None and isinstance(document.value, Device) and goes_by(document.value, name):
            return document
    return None
