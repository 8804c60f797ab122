"""The stamp of a result: the files that it was made of, the options, and the version. It freezes a plan, so that it can be judged later."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from ..model.base import JsonObject
from .disk.existence import is_file
from .listed_sources import manifest_of
from .study import Study
from .yaml.places import YamlPlaces


@dataclass(frozen=True, slots=True)
class Input:
    """A file that a result was made of, named as it was read; *sha256* is None where it is not there any more."""

    path: str
    sha256: str | None


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a result was made of, and how: *options* are those of the command, by name."""

    version: str
    inputs: tuple[Input, ...]
    options: JsonObject


def inputs_of(study: Study) -> tuple[Input, ...]:
    """Return the files that *study* was read from, the spec first: whatever a plan of it depends on."""
    spec, *others = _files(study)
    return (Input(spec, _hash_of_spec(study)), *(Input(file, hash_of_file(file)) for file in others))


def hash_of_file(file: str) -> str | None:
    """Return the SHA-256 of the content of *file*, None where it cannot be read."""
    try:
        return sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return None


def _files(study: Study) -> Iterator[str]:
    manifests = (str(manifest_of(one)) for one in study.all_contracts if one.value.source is not None)
    return iter(dict.fromkeys((*(document.file for document in study.documents), *filter(is_file, manifests))))


def _hash_of_spec(study: Study) -> str | None:
    # It may have come from stdin, under the name of a file that holds something else, or of none.
    places = study.spec.places
    return sha256(places.text.encode()).hexdigest() if isinstance(places, YamlPlaces) else hash_of_file(study.spec.file)
