"""Calls of groups: what a launch runs, in which order, and which calls each of them waits for by the edges of the spec."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from megasolve.contracts import GroupRole, Spec

from ..errors import GpuError


@dataclass(frozen=True, slots=True, order=True)
class Call:
    """One call of a *group*: of a producer its step, of a consumer its chunk, of an admission 1."""

    group: str
    number: int = 1

    def __str__(self) -> str:
        return f"{self.group}{self.number}"


@dataclass(frozen=True, slots=True)
class Streams:
    """The calls of a launch: those that all CTAs share, then those of pool X and of pool Y, each in order."""

    common: tuple[Call, ...]
    x: tuple[Call, ...] = ()
    y: tuple[Call, ...] = ()

    @property
    def calls(self) -> tuple[Call, ...]:
        """All calls, in the order in which a program holds them."""
        return (*self.common, *self.x, *self.y)


def serial_calls(spec: Spec, groups: Sequence[str] | None = None) -> tuple[Call, ...]:
    """Return the calls of *groups* (all, by default) up to the first publication: admission, each step, and the chunk, in order."""
    wanted = [group.name for group in spec.groups if groups is None or group.name in groups]
    steps = [call for step in range(1, _horizon(spec) + 1) for call in _calls_of(spec, "producer", step)]
    calls = [*_calls_of(spec, "admission", 1), *steps, *_calls_of(spec, "consumer", 1)]
    return tuple(call for call in calls if call.group in wanted)


def dependencies(spec: Spec, call: Call) -> tuple[Call, ...]:
    """Return the calls that *call* waits for: the one before it of its own group, whose memory it takes over, and those of its edges.

    A chunk waits for the step that its last frame needs.
    """
    roles = {group.name: group.role for group in spec.groups}
    found = [Call(call.group, call.number - 1)]
    for edge in spec.edges:
        if edge.target != call.group:
            continue
        match roles[edge.source], roles[edge.target]:
            case "admission", _:
                found.append(Call(edge.source))
            case "producer", "consumer":
                found.append(Call(edge.source, last_step(spec, call.number)))
            case _:
                found.append(Call(edge.source, call.number - edge.distance))
    # Numbers below 1 lie before the first call, and several edges may name the same one.
    return tuple(dict.fromkeys(one for one in found if one.number > 0 and one != call))


def last_step(spec: Spec, chunk: int) -> int:
    """Return the last producer step that *chunk*, counted from 1, needs.

    Raises
    ------
    GpuError
        The spec has no stream schedule.
    """
    stream = spec.stream
    if stream is None:
        raise GpuError(f"spec '{spec.name}' has no stream schedule, so no chunk has a last step")
    frames = stream.first_chunk + (chunk - 1) * (stream.next_chunk or stream.first_chunk)
    return stream.delay + stream.steps_for(frames) + stream.right_context


def _horizon(spec: Spec) -> int:
    if spec.stream is not None:
        return spec.stream.horizon_step
    return 0 if spec.publication is None else spec.publication.step or 0


def _calls_of(spec: Spec, role: GroupRole, number: int) -> Iterator[Call]:
    return (Call(group.name, number) for group in spec.groups if group.role == role)
