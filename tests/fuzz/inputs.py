"""Inputs: the files of one, what was done to them, and the words that go with them; each is decided by its seed, kind and index."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.fuzz.drawn.byte_damage import Damage, drawn_damage
from tests.fuzz.drawn.profiles import FORMATS
from tests.fuzz.drawn.random_models import Files, random_model
from tests.fuzz.drawn.studies import SHIPPED, light_study, shipped_study, study_with_more
from tests.fuzz.drawn.tree_mutations import Mutation, drawn_mutation
from tests.fuzz.drawn.words import drawn_words, study_and_trace
from tests.fuzz.drawn.writing import written_bytes

Change = Mutation | Damage


@dataclass(frozen=True, slots=True)
class Input:
    """Input number *index* of a *kind* under a *seed*: *trees* by file, the *changes* in their order, and *words* if it is a command."""

    kind: str
    seed: int
    index: int
    trees: Files
    changes: tuple[Change, ...]
    words: tuple[str, ...] = ()

    def random(self, purpose: str) -> Random:
        """Return a generator that this input alone decides."""
        return Random(f"{self.seed}:{self.kind}:{self.index}:{purpose}")

    def write(self, folder: Path) -> None:
        """Write the files, changed, into *folder*."""
        for name, content in self.contents().items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def contents(self) -> dict[str, bytes]:
        """Return the bytes of every file."""
        trees = dict(self.trees)
        for change in self.changes:
            if isinstance(change, Mutation):
                trees[change.file] = change.applied(trees[change.file])
        contents = {name: written_bytes(name, tree) for name, tree in trees.items()}
        for change in self.changes:
            if isinstance(change, Damage):
                contents[change.file] = change.applied(contents[change.file])
        return contents


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of input: the files that it begins with, and which of them are changed how often.

    *changed* says of a file whether it may be changed, *untouched* which share of the inputs stays as it was drawn, and *damaged* which
    share of the others has its bytes changed.
    """

    name: str
    begin: Callable[[Random], Files]
    changed: Callable[[str], bool] = lambda _: True
    untouched: float = 0.0
    damaged: float = 0.15
    weight: float = 1.0
    has_words: bool = field(default=False)


def _only(part: str) -> Callable[[str], bool]:
    return lambda name: part in name


def _shipped(random: Random) -> Files:
    return dict(shipped_study(random.choice(SHIPPED)))


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("spec", light_study, _only("spec.yaml")),
        Kind("contract", light_study, _only("contracts/")),
        Kind("records", light_study, _only("records")),
        Kind("device", light_study, _only("h100.yaml")),
        Kind("beside", study_with_more, lambda name: name not in {"spec.yaml", "h100.yaml"} and "records" not in name, untouched=0.1),
        Kind("model", random_model, untouched=1.0, weight=0.5),
        Kind("shipped", _shipped, weight=0.05),
        *(Kind(name, begin, untouched=0.15, weight=1.5) for name, begin in FORMATS.items()),
        Kind("words", study_and_trace, lambda name: name == "spec.yaml", untouched=0.95, weight=4.0, has_words=True),
    )
}


def drawn_input(kind: Kind, seed: int, index: int) -> Input:
    """Return input number *index* of *kind* under *seed*."""
    random = Random(f"{seed}:{kind.name}:{index}")
    trees = kind.begin(random)
    changes = () if random.random() < kind.untouched else tuple(_changes(random, kind, trees))
    return Input(kind.name, seed, index, trees, changes, drawn_words(random) if kind.has_words else ())


def _changes(random: Random, kind: Kind, trees: Files) -> list[Change]:
    open_files = {name: tree for name, tree in trees.items() if kind.changed(name)} or trees
    if random.random() < kind.damaged:
        return [drawn_damage(random, open_files) for _ in range(random.choice((1, 1, 2)))]
    gentle = random.random() < 0.5
    return [drawn_mutation(random, open_files, gentle=gentle) for _ in range(random.choice((1, 1, 1, 2, 3, 6)))]
