"""One spelling of a kernel's name, whatever tool wrote it.

The same kernel is `internal::gemvx::kernel<(int)7, (bool)0>` in nsys, `kernel<7, 0>` in ncu and `internal::gemvx::kernel<7, false>` in
Kineto; lambdas are `[lambda() (instance 1)]` or `{lambda()#1}`; arguments name template parameters (`T1`) or write them out. What all of
them agree on is the chain of names with its template arguments. Mangled names stay as they are: nothing here can demangle them.
"""

from __future__ import annotations

import re
from functools import lru_cache

# After a word, the bracket opens the template arguments of a name that ncu shortened: only the rest of `<unnamed>::` goes.
_UNNAMED = re.compile(r"(?<!\w)<unnamed>::|unnamed>::|\(anonymous namespace\)::")
_LAMBDA = re.compile(r"[\[{]?\blambda\(([^()]*)\)\s*(?:\(instance (\d+)\)|#(\d+))[\]}]?")
_CAST = re.compile(r"\([\w\s:]+\)(?=-?\d)")
_SUFFIX = re.compile(r"\b(\d+)u?l{0,2}\b", re.IGNORECASE)
_RETURNS_VOID = re.compile(r"\bvoid\s+(?=[A-Za-z_])")
_CONST = re.compile(r"\bconst\b")
_SPACE = re.compile(r"\s+")
_SCOPE = re.compile(r"\b[A-Za-z_]\w*::")


@lru_cache(maxsize=2**16)
def normalized(name: str) -> str:
    """Return *name* without what tools spell differently: casts, suffixes, spaces, arguments and the type of the result."""
    return name if name.startswith("_Z") else _normalized(name)


@lru_cache(maxsize=2**16)
def bare(name: str) -> str:
    """Return the normalized *name* without namespaces, which ncu leaves out."""
    return name if name.startswith("_Z") else _normalized(_SCOPE.sub("", _UNNAMED.sub("", name))).replace("::", "")


def base(name: str) -> str:
    """Return the function's own name: no namespaces, no template arguments."""
    return bare(name).partition("<")[0]


def _normalized(name: str) -> str:
    text = _LAMBDA.sub(lambda found: f"lambda({found[1]})#{found[2] or found[3]}", _UNNAMED.sub("", name))
    text = _SUFFIX.sub(r"\1", _CAST.sub("", text))
    text = _CONST.sub("", text.replace("operator ()", "operator()"))
    text = re.sub(r"\btrue\b", "1", re.sub(r"\bfalse\b", "0", text))
    return _SPACE.sub("", _without_result(_RETURNS_VOID.sub("", _without_arguments(text))))


def _without_arguments(text: str) -> str:
    """Drop every list of arguments, nested ones too, except those that tell lambdas and the call operator apart."""
    kept, depth = [], 0
    for place, sign in enumerate(text):
        if sign == "(" and (depth or not _names_something(text, place)):
            depth += 1
        elif sign == ")" and depth:
            depth -= 1
        elif not depth:
            kept.append(sign)
    return "".join(kept)


def _names_something(text: str, place: int) -> bool:
    return text.endswith("lambda", 0, place) or (text.endswith("operator", 0, place) and text.startswith("()", place))


def _without_result(text: str) -> str:
    """Drop what stands before the last space outside of template arguments."""
    depth, start = 0, 0
    stripped = text.strip()
    for place, sign in enumerate(stripped):
        depth += (sign == "<") - (sign == ">")
        if sign == " " and depth == 0:
            start = place + 1
    return stripped[start:]
