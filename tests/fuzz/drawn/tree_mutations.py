"""Changes of a tree: each is decided by its name and its number alone, so that a list of them can be shortened and run again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from tests.fuzz.drawn.odd_values import odd_number, odd_text, odd_value
from tests.fuzz.drawn.trees import Place, Tree, Twin, at, is_leaf, places, put, removed

Operation = Callable[[Tree, Random], Tree]


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change of the tree of *file*."""

    file: str
    operation: str
    number: int

    def applied(self, tree: Tree) -> Tree:
        """Return *tree* changed; where it has nothing to change, as it is."""
        return OPERATIONS[self.operation](tree, Random(self.number))


def drawn_mutation(random: Random, files: Mapping[str, Tree], *, gentle: bool = False) -> Mutation:
    """Return a change of one of *files*; a *gentle* one often leaves it valid."""
    operation = random.choice(GENTLE if gentle else [*OPERATIONS])
    return Mutation(random.choice([*files]), operation, random.getrandbits(32))


def _somewhere(tree: Tree, random: Random, wanted: Callable[[Tree], bool] = lambda _: True) -> Place | None:
    found = places(tree)
    # A few draws, because most places are of the wanted sort; the whole list only where they are rare.
    for _ in range(4):
        if found and wanted(at(tree, place := random.choice(found))):
            return place
    fitting = [place for place in found if wanted(at(tree, place))]
    return random.choice(fitting) if fitting else None


def _changing(wanted: Callable[[Tree], bool], change: Callable[[Tree, Random], Tree]) -> Operation:
    def operation(tree: Tree, random: Random) -> Tree:
        place = _somewhere(tree, random, wanted)
        return tree if place is None else put(tree, place, change(at(tree, place), random))

    return operation


def _is_number(tree: Tree) -> bool:
    return isinstance(tree, int | float) and not isinstance(tree, bool)


def _is_text(tree: Tree) -> bool:
    return isinstance(tree, str)


def _is_mapping(tree: Tree) -> bool:
    return isinstance(tree, dict)


def _is_list(tree: Tree) -> bool:
    return isinstance(tree, list)


def _nudged(tree: Tree, random: Random) -> Tree:
    assert isinstance(tree, int | float)
    step = random.choice((1, -1, 0))
    return tree + step if step else tree * random.choice((2, 3, 10)) if random.random() < 0.7 else -tree


def _respelt(text: str, random: Random) -> str:
    """Return *text* with a slip of the pen."""
    if not text:
        return odd_text(random)
    index = random.randrange(len(text))
    slips = (
        text[:index] + text[index + 1 :],
        text[:index] + text[index] + text[index:],
        text.swapcase(),
        text.replace("_us", "_ms").replace("_bytes", "_mb").replace("_ctas", "_sms"),
        text + "s",
        text[:index] + random.choice("éa\u043e\u200b .-_/+@:*\n\x00") + text[index:],
    )
    return random.choice(slips)


def _as_text(tree: Tree, _: Random) -> Tree:
    return str(tree)


def _as_number(tree: Tree, random: Random) -> Tree:
    return float(tree) if isinstance(tree, int) and abs(tree) < 2**60 else odd_number(random)


def _respelt_key(tree: Tree, random: Random) -> Tree:
    assert isinstance(tree, dict)
    key = random.choice([*tree, "x"])
    return {(_respelt(old, random) if old is key else old): value for old, value in tree.items()} | ({} if key in tree else {"x": 1})


def _twin_key(tree: Tree, random: Random) -> Tree:
    assert isinstance(tree, dict)
    if not tree:
        return tree
    key = random.choice([*tree])
    return {**tree, Twin(key): tree[key] if random.random() < 0.5 else odd_value(random)}


def _odd_key(tree: Tree, random: Random) -> Tree:
    assert isinstance(tree, dict)
    return {**tree, odd_text(random): odd_value(random)}


def _shuffled(tree: Tree, random: Random) -> Tree:
    assert isinstance(tree, dict | list)
    if isinstance(tree, list):
        return random.sample(tree, len(tree))
    return {key: tree[key] for key in random.sample([*tree], len(tree))}


def _repeated(tree: Tree, random: Random) -> Tree:
    assert isinstance(tree, list)
    if not tree:
        return [odd_value(random)]
    index = random.randrange(len(tree))
    return tree[:index] + [tree[index]] * random.choice((2, 2, 3, 40)) + tree[index + 1 :]


def _emptied(tree: Tree, _: Random) -> Tree:
    return {} if isinstance(tree, dict) else [] if isinstance(tree, list) else "" if isinstance(tree, str) else None


def _nested(tree: Tree, random: Random) -> Tree:
    for _ in range(random.choice((1, 1, 1, 5, 60, 150))):
        tree = [tree] if random.random() < 0.7 else {"a": tree}
    return tree


def _dropped(tree: Tree, random: Random) -> Tree:
    place = _somewhere(tree, random)
    return tree if place is None else removed(tree, place)


def _transplanted(tree: Tree, random: Random) -> Tree:
    """Return *tree* with what stands at one place at another one, too."""
    source, target = _somewhere(tree, random), _somewhere(tree, random)
    return tree if source is None or target is None else put(tree, target, at(tree, source))


def _swapped(tree: Tree, random: Random) -> Tree:
    first = _somewhere(tree, random, is_leaf)
    second = _somewhere(tree, random, is_leaf)
    return tree if first is None or second is None else put(put(tree, first, at(tree, second)), second, at(tree, first))


def _renamed(tree: Tree, random: Random) -> Tree:
    """Return *tree* with a text that stands in it replaced by another one of its texts: references change, and loops close."""
    place, other = _somewhere(tree, random, _is_text), _somewhere(tree, random, _is_text)
    return tree if place is None or other is None else put(tree, place, at(tree, other))


def _renamed_everywhere(tree: Tree, random: Random) -> Tree:
    """Return *tree* with a text replaced wherever it stands as a value: the same file under another name."""
    place = _somewhere(tree, random, _is_text)
    if place is None:
        return tree
    old, new = at(tree, place), odd_text(random)
    for other in places(tree):
        if at(tree, other) == old:
            tree = put(tree, other, new)
    return tree


OPERATIONS: dict[str, Operation] = {
    "nudge": _changing(_is_number, _nudged),
    "odd number": _changing(_is_number, lambda _, random: odd_number(random)),
    "odd text": _changing(_is_text, lambda _, random: odd_text(random)),
    "odd value": _changing(lambda _: True, lambda _, random: odd_value(random)),
    "respell": _changing(_is_text, lambda text, random: _respelt(str(text), random)),
    "as text": _changing(lambda tree: not isinstance(tree, str), _as_text),
    "as number": _changing(is_leaf, _as_number),
    "respell key": _changing(_is_mapping, _respelt_key),
    "twin key": _changing(_is_mapping, _twin_key),
    "odd key": _changing(_is_mapping, _odd_key),
    "shuffle": _changing(lambda tree: not is_leaf(tree), _shuffled),
    "repeat": _changing(_is_list, _repeated),
    "empty": _changing(lambda _: True, _emptied),
    "nest": _changing(lambda _: True, _nested),
    "drop": _dropped,
    "transplant": _transplanted,
    "swap": _swapped,
    "rename": _renamed,
    "rename everywhere": _renamed_everywhere,
}
GENTLE = ("nudge", "nudge", "nudge", "nudge", "drop", "shuffle", "swap", "rename", "odd number")
