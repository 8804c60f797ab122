"""The files of a new study: where they may stand, and writing them together once they pass their check."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import click

from ..ending.refusals import Refusal
from ..outputs.modelines import with_schemas
from ..outputs.output import encoded
from ..outputs.overwriting import kind_there, refuse_input
from ..outputs.writing import write_together
from .profiles import refusing

SUFFIXES = (".yaml", ".yml")
WRITTEN = b"# Written by megasolve new from "


def study_target(spec: str) -> Path:
    """Return where the spec that was named will stand."""
    if not spec.endswith(SUFFIXES) or not Path(spec).stem:
        raise click.UsageError(f"SPEC {spec}: a spec ends in .yaml")
    return Path(spec)


def study_name(stem: str) -> str:
    """Return *stem* as the name of a spec: letters, digits, `_`, `.` and `-`, a letter first."""
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", stem)[:64]
    return name if name[0].isalpha() else f"m_{name}"[:64]


def refuse_in_the_way(target: Path, *, force: bool) -> None:
    """Refuse to write where something stands that no earlier run wrote, or that may be kept."""
    from megasolve.contracts.files.disk.existence import is_folder, is_there

    for path in (target, target.with_suffix("")):
        if is_there(path) and not force:
            raise Refusal(f"{path} is there already; --force overwrites what an earlier run wrote, or choose another SPEC")
    if is_folder(target):
        raise Refusal(f"{target} is a folder")
    if (there := kind_there(target)) not in (None, "spec/v1"):
        raise Refusal(f"{target} holds {there}, not a spec: remove it, or choose another SPEC")


def write_study(texts: Mapping[Path, str], target: Path, root: str | None, inputs: Iterable[str]) -> None:
    """Write *texts*, the spec at *target* among them, with their schemas, if they pass their check; contracts of an earlier run go."""
    contracts = target.with_suffix("") / "contracts"
    for path in texts:
        refuse_input(path, tuple(inputs))
    try:
        stale = [path for path in _written_before(contracts) if path not in texts]
        contents = with_schemas({path: encoded(text) for path, text in texts.items()}, target.with_suffix("") / "schemas")
        write_together(contents, stale, lambda: refuse_unsound(target, root, "it"))
    except OSError as error:
        raise Refusal(f"cannot write {error.filename or target}: {error.strerror or error}") from None


def _written_before(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.glob("*.yaml")):
        with path.open("rb") as stream:
            if stream.read(len(WRITTEN)) == WRITTEN:
                yield path


def refuse_unsound(spec: Path | str, root: str | None, what: str) -> None:
    """Refuse, before anything is written, a study that does not pass its check; *what* is what the message calls it."""
    from megasolve.contracts import MegasolveError, Severity, check_paths

    try:
        findings = check_paths([spec], root=root).findings
    except MegasolveError as error:
        raise Refusal(f"nothing was written: {error}") from None
    # Also a launch that its device cannot hold: it ran, so the profile, or the device, is another one.
    for finding in findings:
        if finding.severity is Severity.ERROR:
            raise Refusal(f"nothing was written, as {what} would not pass check: {finding}")


def profiles_from(files: Sequence[str], folder: Path, root: str | None) -> tuple[str, ...]:
    """Return *files* as a spec in *folder* names them; none where one of them lies where that spec may name nothing."""
    from megasolve.contracts import project_in

    # Links stay as they are: a profile that is linked to beside the spec is named there.
    named, project = [os.path.relpath(file, folder) for file in files], refusing(lambda: project_in(folder, root))
    return () if any(map(project.why_not, named)) else tuple(map(glob.escape, named))
