"""Rules as values, and the functions that check them: `@rule` makes a rule of the function that finds what breaks it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from types import ModuleType
from typing import Any, Generic, ParamSpec, TypeVar

from .base import NotKnown

Asked = ParamSpec("Asked")
Broken = TypeVar("Broken")


class RuleKind(Enum):
    """What a broken rule means.

    FILE rules make files unusable: `solve` stops on them. LIMIT rules say that a device cannot run something: `solve` goes
    on and excludes the candidates concerned. PROFILE rules say that something is not what ran: `check` alone reads profiles.
    EXCLUSION rules exist only for candidates and are never findings. PLAN rules are of the best design of a plan: `solve` names them, and
    fails on them only where it is asked to.
    """

    FILE = "file"
    LIMIT = "limit"
    PROFILE = "profile"
    EXCLUSION = "exclusion"
    PLAN = "plan"


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A consistency rule or a reason for exclusion: a code, a name and one sentence. Its page is `docs/rules/CODE.md`.

    Codes are unique: rules are equal if their codes are, and sorted by them.
    """

    code: str
    name: str
    summary: str
    kind: RuleKind = RuleKind.FILE

    @property
    def page(self) -> str:
        """Where the rule is explained, in the sources of megasolve."""
        return f"docs/rules/{self.code}.md"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rule) and self.code == other.code

    def __lt__(self, other: Rule) -> bool:
        return self.code < other.code

    def __hash__(self) -> int:
        return hash(self.code)

    def __reduce__(self) -> tuple[type[Rule], tuple[str, str, str, RuleKind]]:
        """Leave the function of a rule behind where it goes to another process."""
        return Rule, (self.code, self.name, self.summary, self.kind)


@dataclass(frozen=True, eq=False)
class Subject(Generic[Asked, Broken]):
    """What some rules look at: what their functions are called with, and what these yield for each breach."""

    name: str


@dataclass(frozen=True, eq=False)
class Check(Generic[Asked, Broken]):
    """A function that finds what breaks rules."""

    on: Subject[Asked, Broken]
    find: Callable[Asked, Iterator[Broken]]

    def __call__(self, *asked: Asked.args, **named: Asked.kwargs) -> Iterator[Broken]:
        """Yield each breach, with the rule that it breaks; what depends on a value that is not known is none."""
        with suppress(NotKnown):
            yield from self.find(*asked, **named)


@dataclass(frozen=True, eq=False)
class CheckedRule(Rule, Check[Asked, Broken]):
    """A rule with the one function that checks it; the name of the function is that of this value."""


def rule(
    code: str, name: str, summary: str, kind: RuleKind = RuleKind.FILE, *, on: Subject[Asked, Broken]
) -> Callable[[Callable[Asked, Iterator[Broken]]], CheckedRule[Asked, Broken]]:
    """Make a rule of the function that finds what breaks it on subject *on*; the function yields breaches of its own name."""

    def checked(find: Callable[Asked, Iterator[Broken]]) -> CheckedRule[Asked, Broken]:
        return CheckedRule(on, find, code, name, summary, kind)

    return checked


def check(*, on: Subject[Asked, Broken]) -> Callable[[Callable[Asked, Iterator[Broken]]], Check[Asked, Broken]]:
    """Make a check of a function that finds what breaks several rules, which are constants, or rules of other functions."""
    return lambda find: Check(on, find)


def rules_in(modules: Iterable[ModuleType]) -> tuple[Rule, ...]:
    """Return the rules that *modules* know, each once, by code."""
    known = {id(value): value for module in modules for value in vars(module).values() if isinstance(value, Rule)}
    return tuple(sorted(known.values()))


def checks_in(modules: Iterable[ModuleType]) -> tuple[Check[..., Any], ...]:
    """Return the checks that *modules* define, in the order in which they stand."""
    values = ((module, value) for module in modules for value in vars(module).values())
    # One that a module takes from another belongs to that one.
    return tuple(value for module, value in values if isinstance(value, Check) and value.find.__module__ == module.__name__)
