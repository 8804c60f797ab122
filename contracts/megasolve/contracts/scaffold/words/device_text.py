"""The device file of a GPU that none is known for: what the profile says of it, and what it leaves open, marked."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...model.device import Device
from ...profiles.execution import ObservedDevice
from .yaml_text import flow, mapping_lines, one_line

OPEN = "OPEN"

# The largest that a file may state: a floor by bytes is then too low, and never too high.
_FASTEST = 2 * 10**13
_WAVES = 64


def drafted_device(observed: ObservedDevice | None, profile: str) -> tuple[Device, str] | None:
    """Return the device that *profile* describes and the text of its file; None where it does not even say how many SMs it has."""
    if observed is None or observed.sms is None:
        return None
    figures, sources = _figures(observed, one_line(profile))
    draft = {
        "megasolve": "device/v1",
        "name": _name(observed),
        "title": one_line(observed.name or f"a GPU of {observed.sms:,} SMs that its profile does not name"),
        **({"driver_names": (one_line(observed.name),)} if observed.name else {}),
        **figures,
        "launch": {},
        "sources": sources,
    }
    head = f"# Written by megasolve new from {one_line(profile)}. Figures whose source begins with {OPEN} are not in it: fill them in."
    lines = [head, *mapping_lines({key: value for key, value in draft.items() if key != "sources"}), "sources:"]
    lines += [f"  {key}: {flow(value)}" for key, value in sources.items()]
    return Device.model_validate(draft, by_alias=True, by_name=False), "".join(f"{line}\n" for line in lines)


def _name(observed: ObservedDevice) -> str:
    words = re.sub(r"[^a-z0-9]+", "_", (observed.name or f"gpu_{observed.sms}_sms").lower()).strip("_")
    return (words if words[:1].isalpha() else f"gpu_{words}")[:64]


def _figures(observed: ObservedDevice, profile: str) -> tuple[Mapping[str, object], Mapping[str, str]]:
    """Return the figures, those of the profile and the usual ones of a GPU with warps of its width, and the sources of the latter."""
    limits = observed.limits
    is_wave = limits.threads_per_warp == _WAVES
    warp = limits.threads_per_warp or 32
    shared = limits.shared_bytes_per_sm or limits.shared_bytes_per_cta
    per_cta = limits.shared_bytes_per_cta or shared
    known = {
        "compute_capability": limits.generation or observed.compute_capability,
        "sms": observed.sms,
        "threads_per_warp": limits.threads_per_warp,
        "ctas_per_sm": limits.ctas_per_sm,
        "threads_per_sm": limits.threads_per_sm,
        "threads_per_cta": limits.threads_per_cta,
        "registers_per_sm": limits.registers_per_sm,
        "registers_per_cta": limits.registers_per_cta,
        "shared_bytes_per_sm": shared,
        "shared_bytes_per_cta": per_cta,
        "shared_reserve_bytes": None if is_wave or not shared or not per_cta else min(shared - per_cta, 1024),
        "l2_bytes": limits.l2_bytes,
        "hbm_bytes": limits.memory_bytes,
        "hbm_peak_bytes_per_s": limits.memory_bytes_per_s,
    }
    stated = {key: value for key, value in known.items() if value is not None}
    opened = {
        "compute_capability": "0.0",
        "threads_per_sm": 2048,
        "threads_per_cta": 1024,
        "registers_per_sm": 65536,
        "registers_per_cta": stated.get("registers_per_sm", 65536),
        "registers_per_thread": 512 if is_wave else 255,
        "register_unit_per_warp": 8 * warp,
        "warp_unit_per_sm": 4,
        "shared_bytes_per_sm": 65536,
        "shared_bytes_per_cta": 65536,
        "shared_reserve_bytes": 0,
        "shared_unit_bytes": 512 if is_wave else 128,
        "hbm_peak_bytes_per_s": _FASTEST,
        "hbm_sustained_bytes_per_s": stated.get("hbm_peak_bytes_per_s", _FASTEST),
    }
    left = {key: value for key, value in opened.items() if key not in stated}
    sources = {"default": f"{profile}, which describes its GPU", **{key: _why_open(key) for key in left}}
    return {**stated, **left}, sources


def _why_open(key: str) -> str:
    if key == "hbm_peak_bytes_per_s":
        return f"{OPEN}: not in the profile; the largest that a file may state, so that no floor is too high"
    if key == "hbm_sustained_bytes_per_s":
        return f"{OPEN}: not in the profile; the peak, which no memory sustains"
    return f"{OPEN}: not in the profile; as on most GPUs with warps of this width"
