"""Readable, shell-safe and unique names of entries, made from the names of kernels."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import count

from ...observe.observation import ObservedKernel
from ...profiles.names import base, normalized

_LONGEST = 56
_LONGEST_FUNCTOR = 24
_LONGEST_GROUP = 24
_WORD = re.compile(r"[A-Za-z_]\w*")
_MANGLED_PART = re.compile(r"[KL]?(\d{1,6})")
_WORD_OF_ARGUMENTS = re.compile(r"\w++\(?")
_FUNCTOR_OF_CUDA = re.compile(r"CUDAFunctor(?:OnSelf)?_(\w+)")
_ENDINGS = (re.compile(r"(?:_kernel)?_(?:cuda_out|cuda|impl)\Z"), re.compile(r"_kernel\(\Z"), re.compile(r"(?:Functor|Ops)\Z"))
_SHORTEST_STEMS = (1, 1, 3)
_WRAPPERS = frozenset({"Binary", "AUnary", "BUnary", "gpu"})
_GENERIC = frozenset({"kernel", "kernel2", "device_kernel", "kentry", "run", "main"})
_NOT_TELLING = frozenset(
    {"at", "cutlass", "detail", "device", "impl", "internal", "native", "std", "type"}
    | {"bool", "char", "const", "double", "float", "half", "long", "short", "signed", "unsigned", "void"}
)


def entry_names(kernels: Sequence[ObservedKernel]) -> tuple[str, ...]:
    """Return one entry name for each of *kernels*, different from all others also where case does not count.

    The group stands before the name where there are several groups, the grid after it where one name has several shapes.
    """
    groups = Counter(kernel.group for kernel in kernels)
    alone = {group for group, members in groups.items() if members == 1}
    plain = [_name(kernel, several=len(groups) > 1, alone=alone) for kernel in kernels]
    times = Counter(plain)
    shaped = [_with_grid(name, kernel) if times[name] > 1 else name for name, kernel in zip(plain, kernels, strict=True)]
    return tuple(numbered(shaped))


def readable_name(name: str) -> str:
    """Return a short name of letters, digits and underscores that tells what the kernel called *name* does."""
    function, arguments = base_name(name), _arguments(name)
    if function.lower() in _GENERIC:
        function = _telling(name, arguments) or function
    stem = _shortened(re.sub(r"\W+", "_", function, flags=re.ASCII).strip("_"), _LONGEST)
    stem = stem.removesuffix("_kernel") or "kernel"
    functor = _functor(arguments)
    full = f"{stem}_{functor}" if functor and functor.lower() not in stem.lower() else stem
    return full if full[0].isalpha() else f"k_{full}"


def base_name(name: str) -> str:
    """Return the bare function name of a kernel: no return type, namespace, template arguments or parameters.

    A mangled name gives its last identifier; a name that is no C++ stays as it is.
    """
    if name.startswith("_Z"):
        return _demangled(name) or name
    return (base(name) or name) if {"(", "<"} & set(name) else name


def _arguments(name: str) -> str:
    """Return the template arguments of the function; those in the type of its result tell nothing."""
    return "" if name.startswith("_Z") else name[max(name.find(f"{base_name(name)}<"), 0) :].partition("<")[2]


def _telling(name: str, arguments: str) -> str:
    """Return what tells a kernel apart whose function is called `kernel`: its namespace, or the first argument that is no type."""
    scopes = normalized(name).partition("<")[0].split("::")[:-1]
    words = (*scopes[-1:], *(word for word in _WORD.findall(arguments) if len(word) > 3))
    return next((word for word in words if word not in _NOT_TELLING and not word.startswith("__")), "")


def _name(kernel: ObservedKernel, *, several: bool, alone: Collection[str]) -> str:
    """Return the plain name; the one kernel at a place of a step is what its group is called."""
    if kernel.is_placed and kernel.group in alone:
        return kernel.group
    return _prefix(kernel, several=several) + readable_name(kernel.shape.name)


def _prefix(kernel: ObservedKernel, *, several: bool) -> str:
    return f"{kernel.group[:_LONGEST_GROUP]}." if several else ""


def _functor(arguments: str) -> str:
    """Return the operation that a generic kernel was compiled for, or nothing."""
    for word in _WORD_OF_ARGUMENTS.findall(arguments):
        stem = _operation(word)
        if stem and stem not in _WRAPPERS:
            return _shortened(stem, _LONGEST_FUNCTOR).strip("_")
    return ""


def _operation(word: str) -> str:
    """Return what *word*, with the bracket behind it, says about an operation, or nothing."""
    if (of_cuda := _FUNCTOR_OF_CUDA.match(word)) is not None:
        return of_cuda[1]
    for ending, shortest in zip(_ENDINGS, _SHORTEST_STEMS, strict=True):
        found = ending.search(word if ending is _ENDINGS[1] else word.rstrip("("), shortest)
        if found is not None:
            return word[: found.start()]
    within = _FUNCTOR_OF_CUDA.search(word)
    return "" if within is None else within[1]


def _shortened(word: str, longest: int) -> str:
    """Return *word*, cut at an underscore where it is too long and has one."""
    if len(word) <= longest:
        return word
    whole = word[: longest + 1].rpartition("_")[0]
    return whole if len(whole) > longest // 2 else word[:longest]


def _demangled(name: str) -> str:
    """Return the last identifier of the nested name that a mangled name begins with."""
    position, found = (3 if name.startswith("_ZN") else 2), ""
    while match := _MANGLED_PART.match(name, position):
        start, length = match.end(), int(match[1])
        identifier, position = name[start : start + length], start + length
        found = found if identifier.startswith("_GLOBAL__") else identifier
    return found


def _with_grid(name: str, kernel: ObservedKernel) -> str:
    return name if kernel.shape.ctas is None else f"{name}_g{kernel.shape.ctas}"


def numbered(names: Sequence[str]) -> Iterator[str]:
    """Yield *names*, those with a number behind them that are taken already, whatever their case."""
    taken: set[str] = set()
    numbers: defaultdict[str, Iterator[int]] = defaultdict(lambda: count(2))
    for name in names:
        free = name
        while free.lower() in taken:
            free = f"{name}_{next(numbers[name.lower()])}"
        taken.add(free.lower())
        yield free
