"""No regular expression takes more time than the length of its text accounts for, whatever the text is.

Every pattern in the sources is run, in the way in which it is used there, on texts that repeat what it is made of and then do not fit.
"""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOTS = ("contracts", "solver", "gpu", "simulate")
CHECKOUT = Path(__file__).resolve().parents[1]
LENGTH = 3000
# A pattern that tries each start anew, and goes on to the end from there, takes thousands of times as long as a bare scan...
MOST_SCANS = 1000
# ...and sixteen times as long for four times the text; in proportion, it takes four times as long.
GROWTH, MOST_GROWTH = 4, 8
WAYS = {"fullmatch": "fullmatch", "match": "match"}


@dataclass(frozen=True)
class Pattern:
    """A regular expression of the sources and how it is applied: fullmatch, match, or everywhere in a text."""

    place: str
    compiled: re.Pattern[str]
    way: str

    def apply(self, text: str) -> None:
        """Apply it to *text* as the sources do."""
        if self.way == "search":
            for _ in self.compiled.finditer(text):
                pass
        else:
            getattr(self.compiled, self.way)(text)


def patterns() -> Iterator[Pattern]:
    """Yield every pattern that the sources compile or use."""
    for root in ROOTS:
        for path in sorted((CHECKOUT / root).rglob("*.py")):
            yield from patterns_of(path)


def patterns_of(path: Path) -> Iterator[Pattern]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    text, ways = ast.unparse(tree), {"match", "fullmatch", "search", "sub", "split", "findall", "finditer", "compile"}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "re"):
            continue
        source = literal(node.args[0]) if node.func.attr in ways else None
        if source is None:
            continue
        used = {WAYS.get(node.func.attr, "search")} if node.func.attr != "compile" else uses(tree, node, text)
        flags = [ast.unparse(argument) for argument in (*node.args[1:], *(word.value for word in node.keywords))]
        number = sum(getattr(re, name) for flag in flags for name in re.findall(r"re\.([A-Z]+)", flag))
        decoded = source.decode("latin-1") if isinstance(source, bytes) else source
        yield from (Pattern(f"{path.relative_to(CHECKOUT)}: {decoded[:50]}", re.compile(decoded, number), way) for way in sorted(used))


def literal(node: ast.expr) -> str | bytes | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "NAME" for part in node.values)
    return None


def uses(tree: ast.Module, call: ast.Call, text: str) -> set[str]:
    """Return the ways in which the constant that holds the compiled pattern is used in its module; everywhere, where nobody can tell."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and node.value is call and isinstance(node.targets[0], ast.Name):
            found = set(re.findall(rf"\b{node.targets[0].id}\.(\w+)\(", text))
            return {WAYS.get(way, "search") for way in found} or {"search"}
    return {"search"}


EVERY = list(patterns())


def test_the_patterns_of_the_sources_are_found() -> None:
    assert len(EVERY) > 60
    assert {pattern.way for pattern in EVERY} == {"match", "fullmatch", "search"}


def texts(pattern: str, length: int = LENGTH) -> Iterator[str]:
    """Yield texts of about *length* that begin as *pattern* may, repeat what stands in it, and end as it cannot."""
    plain = re.sub(r"\\([^A-Za-z0-9])", r"\1", pattern)
    words = sorted({*re.findall(r"[A-Za-z]{2,}[\"(:_]?|\(!\)|\"[a-z]+\"", plain)})[:12]
    signs = sorted({*re.sub(r"[A-Za-z0-9]", "", plain), *' \n"\\(<[a1_x,.:-'})
    for sign in signs:
        yield from (begin + sign * length + end for begin in ("", *words) for end in ("\0", "!"))
        yield (sign + "1") * (length // 2) + "\0"
        yield (sign + "a") * (length // 2) + "\0"
        yield ("\\" + sign) * (length // 2) + "\0"
    for word in words:
        yield word * (length // len(word)) + "\0"
        yield (word + " ") * (length // len(word)) + "\0"


SCAN = re.compile(r"[^\x01]*+\Z")


def seconds(apply: Callable[[str], object], text: str) -> float:
    begun = time.thread_time()
    apply(text)
    return time.thread_time() - begun


@pytest.mark.parametrize("pattern", EVERY, ids=lambda pattern: f"{pattern.place} {pattern.way}")
def test_a_pattern_takes_time_in_proportion_to_its_text(pattern: Pattern) -> None:
    scan_s = min(seconds(SCAN.match, "x" * LENGTH) for _ in range(20))
    source = pattern.compiled.pattern
    for text, shorter in zip(texts(source), texts(source, LENGTH // GROWTH), strict=True):
        if seconds(pattern.apply, text) > MOST_SCANS * scan_s:
            # Caches may have been cold, so the best of several times counts.
            taken_s, less_s = (min(seconds(pattern.apply, one) for _ in range(5)) for one in (text, shorter))
            assert taken_s <= MOST_GROWTH * less_s, (text[:40], taken_s / less_s)


@pytest.mark.parametrize(
    ("pattern", "way"),
    [
        (r'"(?:[^"\\]|\\.)*"', "search"),
        (r"^\s+Section: ", "search"),
        (r"(\(!\)\s*)?(n/a)?\s*", "fullmatch"),
        (r"(\w+?)_kernel\(", "search"),
    ],
)
def test_patterns_that_were_slow_are_told_from_fast_ones(pattern: str, way: str) -> None:
    slow = Pattern("here", re.compile(pattern, re.MULTILINE), way)
    with pytest.raises(AssertionError):
        test_a_pattern_takes_time_in_proportion_to_its_text(slow)
