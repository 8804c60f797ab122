"""Reading the profiles that a command names, and what they say about groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from ..ending.refusals import Refusal

if TYPE_CHECKING:
    from megasolve.contracts import Device, Document
    from megasolve.contracts.observe import AttributedBy, Observation
    from megasolve.contracts.profiles import Execution
    from megasolve.contracts.scaffold import Structure

    from .profile_options import AskedProfiles

Found = TypeVar("Found")


def read_all(files: Sequence[str], *, recover: bool) -> tuple[Execution, ...]:
    """Return what each of *files* says ran; the first that cannot be used is refused."""
    from megasolve.contracts.profiles import read_profiles

    return refusing(lambda: read_profiles(files, recover=recover))


def observed(executions: Sequence[Execution], attribution: AttributedBy) -> Observation:
    """Return what *executions* say about the groups of *attribution*."""
    from megasolve.contracts.observe import observe
    from megasolve.contracts.scaffold import identified

    return refusing(lambda: identified(observe(tuple(executions), attribution), executions))


def found_structure(executions: tuple[Execution, ...], asked: AskedProfiles, cut: str | None) -> Structure | None:
    """Return the structure of the profiles, where it was asked for: cut up, or to know what stands around the steps."""
    from megasolve.contracts.scaffold import Cut, around_steps, structured

    if cut is not None:
        return refusing(lambda: structured(executions, asked.attribution(), Cut(cut)))
    if any(group.part for group in asked.groups):
        return refusing(lambda: around_steps(executions, asked.attribution(), asked.roles))
    return None


def observed_apart(executions: Sequence[Execution], attribution: AttributedBy) -> tuple[Observation, ...]:
    """Return what each device of each of *executions* says by itself."""
    from megasolve.contracts.observe import observe_apart

    return refusing(lambda: observe_apart(tuple(executions), attribution))


def refusing(find: Callable[[], Found]) -> Found:
    """Return what *find* returns; what it raises on purpose becomes one line and exit code 2."""
    from megasolve.contracts import MegasolveError

    try:
        return find()
    except MegasolveError as error:
        raise Refusal(str(error)) from None


def device_of(observation: Observation, folder: str, wanted: str | None) -> Document[Device]:
    """Return the device that was profiled: the one *wanted*, else the one that goes by the name in the profile."""
    from megasolve.contracts.scaffold import profiled_device

    return refusing(lambda: profiled_device(observation.device, observation.sources[0].file, folder, wanted))
