"""What the kernels of a step are called, and which module of its layer each belongs to.

A trace that recorded operators and modules has their names. Without modules a layer is cut before its norms, and a part is called by what
is in it: attention, experts, or the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, takewhile

from ...observe.shapes.recognizing import plain_name
from ...profiles.execution import Kernel
from ..words.names import readable_name

LONGEST_NAME = 40

_NUMBER = re.compile(r"_\d+\Z")
_NO_NAME = re.compile(r"[^A-Za-z0-9_]+")
_NORM = re.compile(r"norm", re.IGNORECASE)
_PARTS = (
    ("attention", re.compile(r"attention|attn|flash|fmha|sage", re.IGNORECASE)),
    ("experts", re.compile(r"moe|expert|topk|routing", re.IGNORECASE)),
)
_OTHER_PART = "mlp"


@dataclass(frozen=True, slots=True)
class PlaceName:
    """What the *kernel* at one place of a step is called, and the *modules* around its launch, outermost first."""

    kernel: str
    modules: tuple[str, ...] = ()


def place_name(kernel: Kernel) -> PlaceName:
    """Return the name of *kernel*: that of the operator that launched it, else its own."""
    words = readable_name(kernel.shape.name) if kernel.operator is None else plain_name(kernel.operator.name)
    return PlaceName(_NO_NAME.sub("_", words)[:LONGEST_NAME].strip("_") or "kernel", kernel.modules)


def kernel_names(names: Sequence[PlaceName]) -> Iterator[str]:
    """Yield the names of kernels, each behind the module of the layer that it belongs to."""
    depth = _depth(names)
    for name in names:
        module = _module(name, depth)
        yield name.kernel if module is None else f"{_class(module)}.{name.kernel}"[-LONGEST_NAME:].lstrip("._0123456789")


def modules(names: Sequence[PlaceName]) -> Iterator[tuple[str, int]]:
    """Yield the modules in a row with the number of their kernels; a kernel of none goes with the one before it."""
    depth = _depth(names)
    known = [_module(name, depth) for name in names]
    if not any(known):
        yield from _by_norms(names)
        return
    reached = next(module for module in known if module)
    filled = []
    for module in known:
        reached = module or reached
        filled.append(reached)
    yield from ((_class(module), len(list(kernels))) for module, kernels in groupby(filled))


def _depth(names: Sequence[PlaceName]) -> int:
    """Return how many modules all kernels share, of whichever layer: a repeat may end with the first kernels of the next one."""
    paths = [tuple(map(_class, name.modules)) for name in names if name.modules]
    if not paths:
        return 0
    return len(list(takewhile(lambda level: len(set(level)) == 1, zip(*paths, strict=False))))


def _module(name: PlaceName, depth: int) -> str | None:
    return name.modules[depth] if len(name.modules) > depth else None


def _class(module: str) -> str:
    """Return the class of a module, without its number."""
    return _NO_NAME.sub("_", _NUMBER.sub("", module)).strip("_")[:LONGEST_NAME] or "module"


def _by_norms(names: Sequence[PlaceName]) -> Iterator[tuple[str, int]]:
    starts = [0, *(place for place, name in enumerate(names) if place and _NORM.search(name.kernel)), len(names)]
    for first, end in pairwise(starts):
        words = " ".join(name.kernel for name in names[first:end])
        yield next((part for part, pattern in _PARTS if pattern.search(words)), _OTHER_PART), end - first
