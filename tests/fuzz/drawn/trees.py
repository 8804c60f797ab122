"""Trees: what a parsed file holds, as plain values, with places in them that can be read, replaced and removed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

Tree: TypeAlias = "bool | int | float | str | list[Tree] | dict[str, Tree] | None"
Step: TypeAlias = int | str
Place: TypeAlias = tuple[Step, ...]

MOST_PLACES = 4000


class Twin(str):
    """A key that is written like another one of its mapping and still stands beside it."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        """Whether *other* is this very key."""
        return self is other


def places(tree: Tree) -> list[Place]:
    """Return every place below the root of *tree*, parents first; of a large tree the first ones."""
    found: list[Place] = []
    for place in _places(tree, ()):
        found.append(place)
        if len(found) == MOST_PLACES:
            break
    return found


def _places(tree: Tree, here: Place) -> Iterator[Place]:
    steps: list[Step] = list(tree) if isinstance(tree, dict) else list(range(len(tree))) if isinstance(tree, list) else []
    for step in steps:
        yield (*here, step)
        yield from _places(child(tree, step), (*here, step))


def child(tree: Tree, step: Step) -> Tree:
    """Return what stands at *step* of the container *tree*."""
    if isinstance(tree, dict) and isinstance(step, str):
        return tree[step]
    if isinstance(tree, list) and isinstance(step, int):
        return tree[step]
    raise KeyError(step)


def at(tree: Tree, place: Place) -> Tree:
    """Return what stands at *place*."""
    for step in place:
        tree = child(tree, step)
    return tree


def put(tree: Tree, place: Place, value: Tree) -> Tree:
    """Return *tree* with *value* at *place*; what is not on the way is shared."""
    if not place:
        return value
    step, *rest = place
    changed = put(child(tree, step), tuple(rest), value)
    if isinstance(tree, dict):
        return {key: changed if key is step or key == step else old for key, old in tree.items()}
    assert isinstance(tree, list)
    return [changed if index == step else old for index, old in enumerate(tree)]


def removed(tree: Tree, place: Place) -> Tree:
    """Return *tree* without what stands at *place*."""
    *above, step = place
    parent = at(tree, tuple(above))
    if isinstance(parent, dict):
        return put(tree, tuple(above), {key: value for key, value in parent.items() if not (key is step or key == step)})
    assert isinstance(parent, list)
    return put(tree, tuple(above), [value for index, value in enumerate(parent) if index != step])


def is_leaf(tree: Tree) -> bool:
    """Whether *tree* holds nothing else."""
    return not isinstance(tree, dict | list)
