"""The key of a service record: one type, and one comparison, for all that asks which call a record is of."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field

from .base import Tree
from .contract import Backend
from .differing import Difference, frozen_tree, tree_differences
from .record import Record


@dataclass(frozen=True, slots=True)
class Key:
    """The full key of a service record (paper: S[g, β, W; κ] with shapes and precision).

    Equal keys are equal in every part, an absent field of *shapes* or *context* only to an absent one; *trees* is both in a form that can
    be compared and hashed.
    """

    group: str
    backend: Backend
    entry: str
    budget_ctas: int
    batch: int
    precision: str
    device: str
    shapes: Mapping[str, int] = field(compare=False)
    context: Mapping[str, Tree] = field(compare=False)
    trees: Hashable = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "trees", (frozen_tree(self.shapes), frozen_tree(self.context)))

    def __str__(self) -> str:
        shapes = "".join(f", {name} {size}" for name, size in sorted(self.shapes.items()))
        entry = f"{self.group} on {self.backend} entry '{self.entry}'"
        return f"{entry} with {self.budget_ctas} CTAs, batch {self.batch}{shapes}, {self.precision}, {self.device}"

    @property
    def record_fields(self) -> Mapping[str, object]:
        """The fields of a record with this key, as a records file has them."""
        return {
            "group": self.group,
            "backend": self.backend,
            "entries": (self.entry,),
            "budget_ctas": self.budget_ctas,
            "batch": self.batch,
            "precision": self.precision,
            "device": self.device,
            "context": self.context,
            **({"shapes": dict(self.shapes)} if self.shapes else {}),
        }


def keys_of(record: Record) -> tuple[Key, ...]:
    """Return the keys that *record* serves: one for each of its entries."""
    rest = (record.budget_ctas, record.batch, record.precision, record.device, record.shapes, record.context)
    return tuple(Key(record.group, record.backend, entry, *rest) for entry in dict.fromkeys(record.entries))


def differences(has: Key, wanted: Key) -> tuple[Difference, ...]:
    """Return in what the key that a record *has* is not the *wanted* one; nothing exactly if the two are equal."""
    return tuple(_differences(has, wanted))


def _differences(has: Key, wanted: Key) -> Iterator[Difference]:
    for name in ("group", "backend", "entry", "budget_ctas", "batch", "precision", "device"):
        one, other = getattr(has, name), getattr(wanted, name)
        if one != other:
            yield Difference(name, one, other)
    # Most contexts are equal, and that is known already.
    if has.trees != wanted.trees:
        yield from tree_differences("shapes", has.shapes, wanted.shapes)
        yield from tree_differences("context", has.context, wanted.context)
