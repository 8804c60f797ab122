"""Finding device files: by path, beside the spec, or among the shipped ones."""

from __future__ import annotations

from pathlib import Path

from ..model.closest import closest
from ..model.wording import one_of
from .disk.existence import is_file, names_in
from .disk.project import project_in
from .shipped import shipped_specs

_SUFFIXES = (".yaml", ".yml", ".json")


def is_device_path(reference: str) -> bool:
    """Whether *reference* is written as a path, not as the bare name of a device."""
    return reference.endswith(_SUFFIXES) or len(Path(reference).parts) > 1


def device_name_path(reference: str) -> str:
    """Return the path, relative to the folder of a spec, that the device *reference* in it names before any shipped one."""
    return reference if is_device_path(reference) else f"devices/{reference}.yaml"


def device_file(reference: str, folder: str) -> str | None:
    """Return the file of the device *reference* in a spec that stands in *folder*, or None where there is none."""
    if is_device_path(reference):
        candidates = [Path(folder) / reference]
    else:
        candidates = [root / "devices" / f"{reference}.yaml" for root in (Path(folder), shipped_specs())]
    return next((str(file) for file in candidates if is_file(file)), None)


def known_devices(folder: str) -> tuple[str, ...]:
    """Return the bare names that a spec in *folder* can use, sorted."""
    own = [Path(folder) / "devices"] if project_in(folder).why_not("devices") is None else []
    folders = (*own, shipped_specs() / "devices")
    return tuple(sorted({Path(name).stem for devices in folders for name in names_in(devices) if name.endswith(".yaml")}))


def nearest_device(reference: str, known: tuple[str, ...]) -> str:
    """Return the repair of the unknown device *reference*: the names that start with it, else the nearest one, else all."""
    if begun := [name for name in known if name.startswith(reference.lower())]:
        return f"did you mean {one_of(begun)}?"
    if close := closest(reference.lower(), known):
        return f"did you mean {close!r}?"
    return f"known devices: {', '.join(known)}" if known else "no devices are known: give the path of a device file"
