"""A study of a profile alone: what `new` would write of it, read back from a folder that is gone afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..ending.refusals import Refusal
from .profile_options import AskedProfiles, asked_groups, asked_steps, refuse_cut_of_groups
from .profiles import found_structure, observed, read_all, refusing

if TYPE_CHECKING:
    from megasolve.contracts import Study
    from megasolve.contracts.observe import AttributedBy, Observation
    from megasolve.contracts.profiles import Execution
    from megasolve.contracts.scaffold import Scaffold, Structure

    Cutting = tuple[Structure | None, AttributedBy, Observation]

_SPECS = (".yaml", ".yml")
CUTS = ("modules", "layers", "phases")
"""How finely a profile is cut where nobody says it, the first of these that can be."""

# Who looks at a profile alone has no such option; a study of it has.
_STATED_BY_NEW = ("--precision NAME states it", "megasolve new --precision NAME states it")


def is_trace(name: str) -> bool:
    """Whether *name* is a profile and no spec."""
    if name == "-" or name.endswith(_SPECS):
        return False
    from megasolve.contracts.profiles import format_of

    return Path(name).is_file() and format_of(name) is not None


def asked_of_trace(groups: Sequence[str], steps: str | None, gpu: int | None, batches: Sequence[int], device: str | None) -> AskedProfiles:
    """Return what the options of a command say of a profile."""
    if len(batches) > 1:
        raise click.UsageError("a profile has one batch: say --batch once")
    batch = next(iter(batches), None)
    return AskedProfiles(asked_groups(tuple(groups)), asked_steps(steps), None, gpu, batch, None, device, False, None)


def study_of_trace(file: str, asked: AskedProfiles, cut: str | None) -> Study:
    """Return the study that `megasolve new` would write of the profile *file*, cut as finely as *cut* says.

    Without a *cut*, and without groups, it is cut into the modules of its layers; more coarsely where these ran beside each other, or
    kernels of several streams keep layers from being told, which goes to stderr.

    Raises
    ------
    Refusal
        It is no evidence, or a study of it would not pass its check.
    """
    from megasolve.contracts.scaffold import Wishes, scaffold

    executions = read_all((file,), recover=asked.recover)
    if any(one.is_timeline for one in executions):
        structure, attribution, observation = _cut(executions, asked, CUTS if cut is None and not asked.groups else (cut,))
    else:
        structure, attribution, observation = _observed(executions, asked, None)
    with tempfile.TemporaryDirectory(prefix="megasolve-") as folder:
        device = None if asked.device is None else _at_hand(asked.device, Path(folder))
        wishes = Wishes("trace", folder, "trace", asked.roles, device, asked.batch, asked.precision)
        if structure is not None:
            wishes = replace(wishes, roles=structure.roles, repeats=structure.repeats, steps=structure.steps)
        made = refusing(lambda: scaffold(observation, executions, attribution, wishes))
        study = _read(made, Path(folder), file)
    assumed = (one.replace(*_STATED_BY_NEW) for one in made.assumed)
    _say(observation, (*(structure.notes if structure and cut else ()), *assumed))
    return study


def _say(observation: Observation, more: Sequence[str]) -> None:
    """Tell on stderr what was left out of the profile, what there is to know of it, and *more*."""
    from megasolve.report import one_line, unattributed_lines

    left_out = (f"left out: {one}" for one in observation.left_out)
    for line in (*left_out, *unattributed_lines(observation)[:1], *observation.notes, *more):
        click.echo(f"NOTE: {one_line(line)}", err=True)


def _cut(executions: tuple[Execution, ...], asked: AskedProfiles, cuts: Sequence[str | None]) -> Cutting:
    """Return the profiles cut as the first of *cuts* says that leaves each group time of its own; the last one counts in any case."""
    *finer, coarsest = cuts
    for number, cut in enumerate(finer):
        try:
            found = _observed(executions, asked, cut)
        except Refusal:
            found = None
        if found is not None and not any(group.beside for group in found[2].groups):
            if number:
                click.echo(f"NOTE: cut into {cut}: kernels of several streams ran beside each other in finer parts", err=True)
            return found
    found = _observed(executions, asked, coarsest)
    if finer:
        # What refuses every cut, as several devices do, has been raised: only streams tell the coarsest from the finer ones.
        click.echo(f"NOTE: cut into {coarsest}: kernels of several streams ran beside each other in finer parts", err=True)
    return found


def _observed(executions: tuple[Execution, ...], asked: AskedProfiles, cut: str | None) -> Cutting:
    structure = found_structure(executions, asked, cut)
    attribution = asked.attribution() if structure is None else structure.attribution
    return structure, attribution, observed(executions, attribution)


def _at_hand(device: str, folder: Path) -> str:
    """Return the name of *device*, or the path of a copy of its file in *folder*: a spec names no file outside of its own."""
    from megasolve.contracts.files.device_files import is_device_path

    if not is_device_path(device):
        return device
    try:
        copy = folder / "device.yaml"
        copy.write_bytes(Path(device).read_bytes())
    except OSError as error:
        raise Refusal(f"cannot read {device}: {error.strerror or error}") from None
    return str(copy)


def _read(made: Scaffold, folder: Path, file: str) -> Study:
    from megasolve.contracts import CheckFailed, MegasolveError, check_spec

    contracts = folder / "trace" / "contracts"
    contracts.mkdir(parents=True)
    for name, text in made.contracts.items():
        (contracts / name).write_text(text, encoding="utf-8")
    if made.device is not None:
        (folder / "trace" / "device.yaml").write_text(made.device, encoding="utf-8")
    (folder / "trace" / "records.yaml").write_text(made.records, encoding="utf-8")
    (folder / "trace.yaml").write_text(made.spec, encoding="utf-8")
    try:
        return check_spec(folder / "trace.yaml")[0]
    except CheckFailed as failed:
        raise Refusal(f"{file}: a study of it would not pass check: {failed.findings[0].message}") from None
    except MegasolveError as error:
        raise Refusal(f"{file}: {error}") from None


def refuse_trace_options(groups: Sequence[str], steps: str | None, gpu: int | None, cut: str | None, *, is_profile: bool) -> None:
    """Refuse options that only say something of a profile where a spec is given, and two that both say what the groups are."""
    given = {"--group": bool(groups), "--steps": steps is not None, "--gpu": gpu is not None, "--cut": cut is not None}
    if not is_profile and any(given.values()):
        raise click.UsageError(f"{next(option for option in given if given[option])} is only for a profile: a spec says it itself")
    refuse_cut_of_groups(groups, cut)
