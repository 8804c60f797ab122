"""Two sources as one: times from a timeline, resources and memory traffic from kernels that ncu profiled one by one.

Kernels match on name, grid and block together: one name has many launch shapes. Times of ncu are never taken, as it flushes caches
and replays kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median_low
from typing import Any, NamedTuple

from ..model.wording import counted
from ..profiles.execution import Dim3, Execution, Kernel, KernelShape
from ..profiles.names import bare, base, normalized
from ..profiles.wording import launch_shape

_RESOURCES = ("registers", "static_shared_bytes", "dynamic_shared_bytes", "shared_bytes", "cluster_ctas")


@dataclass(frozen=True, slots=True)
class Match:
    """What a kernel of the timeline gains: its shape with the resources filled in, and the memory traffic of one launch if measured."""

    shape: KernelShape
    hbm_bytes: int | None


@dataclass(frozen=True, slots=True)
class Join:
    """The matches by shape of the timeline, and what is without one on either side, in order."""

    matches: Mapping[KernelShape, Match]
    only_timeline: tuple[KernelShape, ...]
    only_profiled: tuple[KernelShape, ...]
    notes: tuple[str, ...] = ()


class _Launched(NamedTuple):
    """What a kernel is known by on both sides."""

    name: str
    grid: Dim3 | None
    block: Dim3 | None
    ctas: int | None
    threads: int | None

    @classmethod
    def of(cls, shape: KernelShape) -> _Launched:
        return cls(normalized(shape.name), shape.grid, shape.block, shape.ctas, shape.threads)

    def may_be(self, other: _Launched) -> bool:
        """Whether the launch shapes agree in all that both sides know."""
        return all(mine is None or theirs is None or mine == theirs for mine, theirs in zip(self[1:], other[1:], strict=True))


_Spelling = Callable[[str], str]


def join(shapes: Iterable[KernelShape], profiled: Sequence[Execution]) -> Join:
    """Find for each of *shapes*, which a timeline ran, what *profiled* executions know about it.

    A shape that may be several kernels of ncu, or one of them that several shapes lay claim to, is joined with nothing.
    """
    wanted = list(dict.fromkeys(shapes))
    known: dict[_Launched, list[Kernel]] = {}
    for kernel in (kernel for execution in profiled for kernel in execution.kernels):
        known.setdefault(_Launched.of(kernel.shape), []).append(kernel)
    spellings = [(spell, _by_name(known, spell)) for spell in (normalized, bare, base)]
    found = {shape: _nearest(shape, spellings) for shape in wanted}
    claims: dict[_Launched, set[_Launched]] = {}
    for shape, keys in found.items():
        for key in keys:
            claims.setdefault(key, set()).add(_Launched.of(shape))
    sure = {shape: keys[0] for shape, keys in found.items() if len(keys) == 1 and len(claims[keys[0]]) == 1}
    notes = [_ambiguous(shape) for shape, keys in found.items() if keys and shape not in sure]
    matches = {shape: _match(shape, known[key], notes) for shape, key in sure.items()}
    lonely = (kernels[0].shape for key, kernels in known.items() if key not in sure.values())
    return Join(matches, tuple(shape for shape in wanted if shape not in matches), tuple(lonely), tuple(notes))


def _by_name(known: Mapping[_Launched, Sequence[Kernel]], spell: _Spelling) -> dict[str, list[_Launched]]:
    found: dict[str, list[_Launched]] = {}
    for key, kernels in known.items():
        found.setdefault(spell(kernels[0].shape.name), []).append(key)
    return found


def _nearest(shape: KernelShape, spellings: Sequence[tuple[_Spelling, Mapping[str, list[_Launched]]]]) -> list[_Launched]:
    """Return the kernels that ncu may have seen of *shape*, by the most exact spelling of its name that finds any."""
    launched = _Launched.of(shape)
    for spell, keys_of in spellings:
        keys = [key for key in keys_of.get(spell(shape.name), ()) if launched.may_be(key)]
        if spell is base:
            # A name without template arguments stands for any of them; two different lists of arguments are two kernels.
            keys = [key for key in keys if "<" not in key.name or "<" not in launched.name]
        if keys:
            return keys
    return []


def _ambiguous(shape: KernelShape) -> str:
    return f"{launch_shape(shape)} cannot be told from other kernels by name, grid and block, and was joined with nothing"


def _match(shape: KernelShape, kernels: Sequence[Kernel], notes: list[str]) -> Match:
    """Fill in what the timeline does not know; of launches with other resources than the timeline saw, none counts."""
    same = [kernel for kernel in kernels if not _contradictions(shape, kernel.shape)]
    if not same:
        differing = ", ".join(_contradictions(shape, kernels[0].shape))
        notes.append(f"{launch_shape(shape)}: ncu saw other resources ({differing}); nothing of it was taken")
        return Match(shape, None)
    traffic = [kernel.hbm_bytes for kernel in same if kernel.hbm_bytes is not None]
    if len(set(traffic)) > 1:
        spread = f"{min(traffic):,} to {max(traffic):,} bytes"
        notes.append(f"{launch_shape(shape)}: {counted(len(traffic), 'launch', 'launches')} in ncu moved {spread}; the lower median counts")
    return Match(_completed(shape, same), median_low(traffic) if traffic else None)


def _completed(shape: KernelShape, kernels: Sequence[Kernel]) -> KernelShape:
    """Return *shape* with the resources that the timeline lacks and all of *kernels* agree on."""
    gained: dict[str, Any] = {}
    for name in _RESOURCES:
        values = {getattr(kernel.shape, name) for kernel in kernels}
        if getattr(shape, name) is None and len(values) == 1:
            gained[name] = values.pop()
    if gained.get("shared_bytes") is not None:
        gained["shared_tolerance_bytes"] = kernels[0].shape.shared_tolerance_bytes
    return replace(shape, **gained)


def _contradictions(shape: KernelShape, other: KernelShape) -> list[str]:
    """Return in which resources the two differ by more than their files round."""
    tolerance = shape.shared_tolerance_bytes + other.shared_tolerance_bytes
    found = []
    for name in _RESOURCES:
        mine, theirs = getattr(shape, name), getattr(other, name)
        known = mine is not None and theirs is not None
        if known and abs(mine - theirs) > (tolerance if name.endswith("shared_bytes") else 0):
            found.append(f"{name} {theirs} instead of {mine}")
    return found
