"""`megasolve new --update`: a further profile of a study, added beside what is there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..ending.refusals import Refusal
from ..outputs.modelines import with_schemas
from ..outputs.output import encoded
from ..outputs.overwriting import refuse_input
from ..outputs.writing import write_together
from ..words.batches import BatchFiles
from ..words.new_study import WRITTEN, profiles_from, refuse_unsound
from ..words.profile_options import AskedProfiles
from ..words.profiles import device_of, found_structure, observed, read_all, refusing
from ..words.studies import read_study

if TYPE_CHECKING:
    from megasolve.contracts import Study
    from megasolve.contracts.observe import AttributedBy, Observation
    from megasolve.contracts.profiles import Execution
    from megasolve.contracts.scaffold import StudyUpdate

_NO_NAME = re.compile(r"[^A-Za-z0-9_.-]")
_ASIDE = (
    "put aside by megasolve new --update: its sizes are those of batch {batches}, and times of batch {batch} would be derived from them"
)


@dataclass(frozen=True, slots=True)
class UpdatedTexts:
    """The files of an update: those that are *new*, and those *amended* in their text, each with all that it had."""

    new: Mapping[Path, str]
    amended: Mapping[Path, str]


def write_update(spec: str, batches: Sequence[BatchFiles], cut: str | None) -> str:
    """Add the profiles of *batches* to the study of *spec*, all or none of them, and return what was added.

    Raises
    ------
    Refusal
        A profile adds nothing, contradicts the study or cannot be added in place; nothing has changed then.
    """
    if len(batches) > 1:
        raise click.UsageError("--update adds the profiles of one batch at a time")
    (of,) = batches
    _refuse_said_by_the_spec(of.asked)
    study = read_study(spec, of.asked.device, root=of.asked.root)
    if of.asked.precision not in (None, study.spec.value.precision):
        raise click.UsageError(f"--precision {of.asked.precision}: the spec is in {study.spec.value.precision}")
    executions = read_all(of.files, recover=of.asked.recover)
    observation = _observation(study, executions, of.asked, cut)

    from megasolve.contracts.scaffold import study_update

    update = refusing(lambda: study_update(study, observation, executions, _batch(study, observation, of.asked)))
    texts = _texts(study, update, of)
    _write(texts, study, spec, of)
    return "".join(f"{line}\n" for line in _lines(study, update, texts, observation))


def refuse_forced_update(*, force: bool) -> None:
    """Refuse --force beside --update, which overwrites nothing."""
    if force:
        raise click.UsageError("--update and --force do not go together: an update overwrites nothing")


def _refuse_said_by_the_spec(asked: AskedProfiles) -> None:
    if asked.groups:
        raise click.UsageError(
            "--update and --group do not go together: the spec has its groups; write their patterns into its attribution"
        )


def _observation(study: Study, executions: tuple[Execution, ...], asked: AskedProfiles, cut: str | None) -> Observation:
    from megasolve.contracts.scaffold import declared_attribution

    declared = declared_attribution(study.spec.value, tuple(contract.value for contract in study.contracts))
    structure = found_structure(executions, asked, cut)
    attribution = asked.attribution(declared) if structure is None else _named_as(declared, structure.attribution)
    observation = observed(executions, attribution)
    known = {group.name for group in study.spec.value.groups}
    if strangers := [group.group for group in observation.groups if group.group not in known]:
        raise Refusal(f"{observation.sources[0].file}: its group {strangers[0]} is none of '{study.spec.value.name}'; nothing was changed")
    # Checks that the profile is of this device: a time holds on no other.
    device_of(observation, str(Path(study.spec.file).parent), study.device.file)
    return observation


def _named_as(declared: AttributedBy, found: AttributedBy) -> AttributedBy:
    """Return what was *found* with the names that are *declared*, where both are cut at the same places."""
    mine, theirs = ([(rule.places, rule.part) for rule in one.rules] for one in (found, declared))
    return replace(found, rules=declared.rules) if mine == theirs else found


def _batch(study: Study, observation: Observation, asked: AskedProfiles) -> int:
    if asked.batch is not None:
        return asked.batch
    if observation.batch is not None:
        return observation.batch
    if len(study.spec.value.batches) > 1:
        raise click.UsageError("no profile says how many requests ran at once, and the spec has several batches: say --batch N")
    return study.spec.value.batches[0]


def _texts(study: Study, update: StudyUpdate, of: BatchFiles) -> UpdatedTexts:
    from megasolve.contracts.scaffold import commented, records_yaml

    origin = f"Written by megasolve new from {', '.join(Path(file).name for file in of.files)}."
    folder, records = _contracts_folder(study), _records_file(study, update, of.files[0])
    contracts = {
        folder / f"{one.entry}.yaml": commented(one.model_dump(by_alias=True, exclude_unset=True), [origin]) for one in update.contracts
    }
    new = {**contracts, records: records_yaml(update.records, origin)}
    for path in new:
        if path.exists():
            raise Refusal(f"{path} is there already: nothing was changed; remove or rename it, or add another batch")
    return UpdatedTexts(new, {**_spec_text(study, update, records, of), **_put_aside(study, update)})


def _contracts_folder(study: Study) -> Path:
    """Return where the contracts of the study stand, which its patterns find."""
    return Path(study.contracts[0].file).parent if study.contracts else Path(study.spec.file).with_suffix("") / "contracts"


def _records_file(study: Study, update: StudyUpdate, profile: str) -> Path:
    first = Path(study.records[0].file) if study.records else Path(study.spec.file).with_suffix("") / "records.yaml"
    which = f"b{update.batch}" if update.is_new_batch else _NO_NAME.sub("_", Path(profile).name.split(".")[0])
    return first.with_name(f"{first.name.split('.')[0]}.{which}.yaml")


def _spec_text(study: Study, update: StudyUpdate, records: Path, of: BatchFiles) -> dict[Path, str]:
    from megasolve.contracts.scaffold import flow

    path, spec = Path(study.spec.file), study.spec.value
    named = Path(os.path.relpath(records, path.parent)).as_posix()
    wanted = [("batches", str(update.batch))] if update.is_new_batch else []
    if not any(Path(named).match(pattern) for pattern in spec.records):
        wanted.append(("records", flow(named)))
    # Where check compares with profiles, it finds the kernels of the new contracts in this one.
    profiles = profiles_from(of.files, path.parent, of.asked.root) if spec.profiles else ()
    wanted += [("profiles", flow(profile)) for profile in profiles if profile not in spec.profiles]
    text = _text_of(path)
    wanted += [("outside", flow(one.model_dump(by_alias=True))) for one in update.outside]
    for key, item in wanted:
        text = _appended(path, text, key, item)
    return {path: text} if wanted else {}


def _appended(path: Path, text: str, key: str, item: str) -> str:
    from megasolve.contracts.files.yaml.amending import appended, begun

    written = appended(text, key, item) or begun(text, key, item)
    if written is None:
        raise Refusal(f"{path}: {item} cannot be added to its {key} in place, so nothing was changed; add it by hand first")
    return written


def _put_aside(study: Study, update: StudyUpdate) -> dict[Path, str]:
    from megasolve.contracts.files.yaml.amending import put_aside

    batches = ", ".join(map(str, study.spec.value.batches))
    found: dict[Path, str] = {}
    for document in update.aside:
        path = Path(document.file)
        text = _text_of(path)
        if not text.encode().startswith(WRITTEN):
            # What a person wrote stays: whoever gives a program sizes of one batch is told of what follows.
            continue
        written = put_aside(text, "programs", _ASIDE.format(batches=batches, batch=update.batch))
        if written is None:
            raise Refusal(f"{path}: its programs are of batch {batches} and cannot be put aside in place, so nothing was changed")
        found[path] = written
    return found


def _text_of(path: Path) -> str:
    with path.open(encoding="utf-8", newline="") as stream:
        return stream.read()


def _write(texts: UpdatedTexts, study: Study, spec: str, of: BatchFiles) -> None:
    inputs = (*of.files, *(() if of.asked.device is None else (of.asked.device,)))
    for path in (*texts.new, *texts.amended):
        refuse_input(path, inputs)
    schemas = next((one for one in (Path(spec).parent / "schemas", Path(spec).with_suffix("") / "schemas") if one.is_dir()), None)
    new = {path: encoded(text) for path, text in texts.new.items()}
    contents = {**(new if schemas is None else with_schemas(new, schemas)), **{path: text.encode() for path, text in texts.amended.items()}}
    try:
        write_together(contents, (), lambda: _refuse_unsound(study, spec, of.asked.root, texts))
    except OSError as error:
        raise Refusal(f"cannot write {error.filename or spec}: {error.strerror or error}") from None


def _refuse_unsound(study: Study, spec: str, root: str | None, texts: UpdatedTexts) -> None:
    """Refuse a study that would not pass its check, or whose patterns do not find what is new."""
    from megasolve.contracts import load_spec

    refuse_unsound(spec, root, "the study")
    found = load_spec(spec, root=root)
    seen = {os.path.realpath(document.file) for document in (*found.all_contracts, *found.records)}
    if unseen := [path for path in texts.new if os.path.realpath(path) not in seen]:
        raise Refusal(f"nothing was changed: no pattern of {study.spec.file} finds {unseen[0]}; name it in contracts or records first")


def _lines(study: Study, update: StudyUpdate, texts: UpdatedTexts, observation: Observation) -> Iterator[str]:
    from megasolve.contracts.model.wording import counted
    from megasolve.report import further_lines

    *contracts, records = texts.new
    more = f"{counted(len(contracts), 'contract')} in {contracts[0].parent} and " if contracts else ""
    yield f"added to {study.spec.file}, batch {update.batch}: {more}{counted(len(update.records), 'record')} in {records}"
    aside = [path for path in texts.amended if path != Path(study.spec.file)]
    if aside:
        yield f"put aside as comments: the programs of {counted(len(aside), 'contract')}, whose sizes are those of the batches before"
    if kept := len(update.aside) - len(aside):
        what = counted(kept, "contract")
        yield f"NOTE: the programs of {what}, not written by megasolve new, name no batch: times are derived from them"
    if update.kept:
        yield f"kept: {counted(update.kept, 'record')} of batch {update.batch} that stood there; those of the profile were left out"
    if update.without:
        yield f"no kernel of {', '.join(update.without)}: nothing is known of them at batch {update.batch}"
    if update.unused:
        yield f"left out: {counted(len(update.unused), 'kernel')} of no contract"
    yield from further_lines(observation, "")
    yield f"next: megasolve {study.spec.file}"
