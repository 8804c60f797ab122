"""Options of the commands that read profiles: how kernels are told apart, and what no profile says."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .options import device_option, root_option

if TYPE_CHECKING:
    from megasolve.contracts import GroupRole
    from megasolve.contracts.observe import AttributedBy, Part

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

ROLES: tuple[GroupRole, ...] = ("admission", "producer", "consumer")
PARTS: tuple[Part, ...] = ("before", "after")
CUTS = ("phases", "layers", "modules", "kernels")
WHOLE_GROUP = "step"

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
_NEXT_PATTERN = re.compile(r",(?=(?:ranges|names):)")
_WORDS = re.compile(r"(?P<name>[^:=]*)(?::(?P<role>[^=]*))?(?:=(?P<patterns>.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class AskedGroup:
    """One --group: its name, its role where one is given, and its patterns."""

    name: str
    role: GroupRole | None
    ranges: tuple[str, ...]
    names: tuple[str, ...]
    part: Part | None = None


def cut_option(command: Decorated) -> Decorated:
    """Add the option that says how finely the structure of a trace is cut."""
    return click.option(
        "--cut",
        type=click.Choice(CUTS),
        help="Find the structure of a trace and cut it: into phases (before, in and after the steps), the layers of a step as repeats, "
        "their modules, or their kernels.",
    )(command)


def refuse_cut_of_groups(groups: Sequence[object], cut: str | None) -> None:
    """Refuse to find groups where they are given."""
    if cut is not None and groups:
        raise click.UsageError("--cut and --group do not go together: --cut finds the groups")


def profile_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of every command that reads profiles; *command* gets them together, as `asked`."""

    @wraps(command)
    def together(
        *,
        groups: tuple[str, ...],
        steps: str | None,
        steps_count: int | None,
        skip: int | None,
        gpu: int | None,
        batch: int | None,
        precision: str | None,
        device: str | None,
        recover: bool,
        root: str | None,
        **others: Any,
    ) -> None:
        if precision is not None:
            refuse_bad_name("--precision", precision)
        if steps_count is not None and steps is not None:
            raise click.UsageError("--steps and --steps-count do not go together: a profile of sums holds a number of steps")
        steps = steps if steps_count is None else f"count:{steps_count}"
        command(asked=AskedProfiles(asked_groups(groups), asked_steps(steps), skip, gpu, batch, precision, device, recover, root), **others)

    return _attribution_options(_unstated_options(device_option(root_option(_recover_option(together)))))


def _attribution_options(command: Decorated) -> Decorated:
    group = click.option(
        "--group",
        "groups",
        metavar="NAME[:ROLE][=PATTERN]",
        multiple=True,
        help="A group and its kernels: ranges:GLOB on the annotations around their launch, names:GLOB on their names, several with commas; "
        "before: and after: are those before the first step and after the last one. "
        "Without a pattern it takes what no other group takes. May be given several times; by default one group has all.",
    )
    steps = click.option(
        "--steps",
        metavar="HOW",
        help="Where steps begin: whole (the profile is one step), marks:GLOB on annotations, period:N kernels, period:auto, or replays of "
        "a graph. By default "
        "where the marks ProfilerStep#*, step[* or execute_* that profilers write are in the profile, else whole.",
    )
    count = click.option(
        "--steps-count", type=click.IntRange(min=1), metavar="N", help="How many steps a profile holds that gives its kernels only in sum."
    )
    skip = click.option("--skip", type=click.IntRange(min=0), metavar="N", help="Leave out N steps at the start.")
    gpu = click.option("--gpu", type=click.IntRange(min=0), metavar="N", help="Look at GPU number N of a profile that has several.")
    return group(steps(count(skip(gpu(command)))))


def _unstated_options(command: Decorated) -> Decorated:
    batch = click.option("--batch", type=click.IntRange(min=1), metavar="N", help="How many requests ran at once; no profile says it.")
    precision = click.option("--precision", metavar="NAME", help="The precision of the model, such as bf16; kernel names only hint at it.")
    return batch(precision(command))


def _recover_option(command: Decorated) -> Decorated:
    return click.option(
        "--recover", is_flag=True, help="Read what can be read of a damaged Kineto trace, event by event, and say how much was lost."
    )(command)


@dataclass(frozen=True, slots=True)
class AskedProfiles:
    """What the options say: how kernels are told apart, and what no profile says; None where an option was not given."""

    groups: tuple[AskedGroup, ...]
    steps: str | None
    skip: int | None
    gpu: int | None
    batch: int | None
    precision: str | None
    device: str | None
    recover: bool
    root: str | None

    @property
    def is_about_groups(self) -> bool:
        """Whether anything was said about how kernels are told apart."""
        return bool(self.groups or self.steps) or self.skip is not None or self.gpu is not None

    @property
    def roles(self) -> Mapping[str, GroupRole]:
        """The roles that were given, by group."""
        return {group.name: group.role for group in self.groups if group.role is not None}

    def attribution(self, declared: AttributedBy | None = None) -> AttributedBy:
        """Return how kernels are told apart: as was asked, else as *declared*, else all of them are one group in the usual steps."""
        from megasolve.contracts.observe import AttributedBy, GroupRule
        from megasolve.contracts.scaffold import steps_by

        base = declared or AttributedBy((GroupRule(WHOLE_GROUP),))
        rules = tuple(GroupRule(group.name, group.ranges, group.names, group.part) for group in self.groups)
        steps = replace(steps_by(self.steps) if self.steps else base.steps, skip=base.steps.skip if self.skip is None else self.skip)
        return AttributedBy(rules or base.rules, steps, base.device if self.gpu is None else self.gpu)


def asked_groups(words: Sequence[str]) -> tuple[AskedGroup, ...]:
    """Return the groups of --group in their order; the same name given twice is one group with the patterns of both."""
    merged: dict[str, AskedGroup] = {}
    for word in words:
        group = _group(word)
        before = merged.get(group.name)
        merged[group.name] = group if before is None else _joined(before, group)
    rests = [group.name for group in merged.values() if not group.ranges and not group.names and group.part is None]
    if len(rests) > 1:
        raise click.UsageError(f"--group: {' and '.join(rests)} have no pattern, and only one group can take what is left")
    return tuple(merged.values())


def asked_steps(words: str | None) -> str | None:
    """Return *words* as they are, or refuse what says nothing about steps."""
    from megasolve.contracts.scaffold import steps_by

    try:
        steps_by(words or "whole")
    except ValueError as error:
        raise click.UsageError(f"--steps: {error}") from None
    return words


def refuse_bad_name(option: str, name: str) -> None:
    """Refuse a name that no file may hold."""
    if not _NAME.fullmatch(name):
        raise click.UsageError(f"{option}: {name!r} is no name; a letter, then letters, digits, '_', '.' or '-', 64 at most")


def _group(word: str) -> AskedGroup:
    match = _WORDS.fullmatch(word)
    name = "" if match is None else match["name"]
    refuse_bad_name("--group", name)
    role = None if match is None else match["role"]
    if role is not None and role not in ROLES:
        raise click.UsageError(f"--group {name}: {role!r} is no role; it is one of {', '.join(ROLES)}")
    patterns = None if match is None else match["patterns"]
    part = next((one for one in PARTS if patterns == f"{one}:"), None)
    return AskedGroup(name, role, *((), ()) if part else _patterns(name, patterns), part)


def _patterns(name: str, patterns: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    kinds: dict[str, list[str]] = {"ranges": [], "names": []}
    for pattern in _NEXT_PATTERN.split(patterns) if patterns is not None else ():
        kind, colon, glob = pattern.partition(":")
        if not colon or kind not in kinds or not glob:
            raise click.UsageError(
                f"--group {name}: {pattern!r} is no pattern; write ranges:GLOB or names:GLOB, or before: or after: alone"
            )
        kinds[kind].append(glob)
    return tuple(kinds["ranges"]), tuple(kinds["names"])


def _joined(before: AskedGroup, group: AskedGroup) -> AskedGroup:
    if None not in (before.role, group.role) and before.role != group.role:
        raise click.UsageError(f"--group {group.name} is {before.role} and {group.role}; say one role")
    if before.part != group.part:
        raise click.UsageError(f"--group {group.name}: before: and after: stand alone, without another pattern of the group")
    return AskedGroup(group.name, before.role or group.role, before.ranges + group.ranges, before.names + group.names, before.part)
