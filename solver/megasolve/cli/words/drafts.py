"""The contract of a region that somebody wants to build, as a file beside the contracts of its kernels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..ending.refusals import Refusal
from ..outputs.modelines import with_schemas
from ..outputs.output import encoded
from ..outputs.writing import write_together
from .new_study import refuse_unsound
from .profiles import refusing
from .studies import read_study

if TYPE_CHECKING:
    from megasolve.contracts import Study
    from megasolve.solver.assuming.draft import Draft


def write_draft(spec: str, region: str, *, root: str | None, force: bool) -> str:
    """Write the contract of *region* of the study of *spec*, and return what was written and what is open.

    Raises
    ------
    Refusal
        It is no region, the file is there already, or the study would not pass its check with it.
    """
    from megasolve.solver.assuming.draft import drafted

    study = read_study(spec, None, root=root)
    draft = refusing(lambda: drafted(study, region))
    target = _target(study, draft)
    if target.exists() and not force:
        raise Refusal(f"{target} is there already; --force overwrites it")
    try:
        _write(draft, target, spec, root)
    except Refusal:
        if "programs" not in draft.authored:
            raise
        draft = draft.without_programs()
        _write(draft, target, spec, root)
    return "\n".join([f"wrote {target}", *(f"open: {one}" for one in draft.open), ""])


def refuse_without_profile(profiles: tuple[str, ...], contract: str | None) -> None:
    """Refuse to begin a study from nothing, and a profile beside a region of a study that is there."""
    if contract is None and not profiles:
        raise click.UsageError("say --from FILE to begin a study, or --contract REGION to draft a contract for one that is there")
    if contract is not None and profiles:
        raise click.UsageError("--from and --contract do not go together: --contract is for a spec that is there")


def _write(draft: Draft, target: Path, spec: str, root: str | None) -> None:
    try:
        contents = with_schemas({target: encoded(_text(draft, Path(spec).name))}, _schemas(Path(spec)))
        write_together(contents, (), lambda: refuse_unsound(spec, root, "the study"))
    except OSError as error:
        raise Refusal(f"cannot write {error.filename or target}: {error.strerror or error}") from None


def _schemas(spec: Path) -> Path:
    """Return the folder for the schema: where `example` or `new` has put those of this study already, else where `new` would."""
    places = spec.parent / "schemas", spec.with_suffix("") / "schemas"
    return next((one for one in places if one.is_dir()), places[-1])


def _target(study: Study, draft: Draft) -> Path:
    """Return the file of the draft: in the folder of the first contract of the study, which its patterns find."""
    first = next(iter(study.contracts))
    return Path(first.file).parent / f"{draft.entry}.yaml"


def _text(draft: Draft, spec: str) -> str:
    from megasolve.contracts.scaffold import commented

    head = [f"Drafted by megasolve new for {spec}: nobody built this kernel yet.", *(f"open: {one}" for one in draft.open)]
    return commented(draft.authored, head)
