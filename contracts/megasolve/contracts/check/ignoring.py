"""Findings that a file asks to be left out, each with its reason, and what is wrong with asking so."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..files.documents import Document
from ..files.schema.standing import is_known
from ..model.base import Ignored
from ..model.findings import Fault, Severity
from ..model.rules import Rule, RuleKind
from ..model.wording import KeyPath, path_text
from .subjects import Placed

WITHOUT_EFFECT = Rule("IGN-01", "ignore-without-effect", "What a file asks to be left out is found in it, and lets plans go on.")


@dataclass(frozen=True, slots=True)
class _Asked:
    document: Document[Any]
    index: int
    wish: Ignored

    def covers(self, rule: Rule, path: KeyPath) -> bool:
        if rule.code != self.wish.rule:
            return False
        at, text = ("" if self.wish.at is None else f"$.{self.wish.at}"), path_text(path)
        return text.startswith(at) and text[len(at) : len(at) + 1] in ("", ".", "[", "$")

    def placed(self, message: str) -> Placed:
        return self.document, Fault(WITHOUT_EFFECT, ("ignore", self.index), message, severity=Severity.WARNING)


class Ignoring:
    """What the files of *documents* ask to be left out, and what of it was met."""

    def __init__(self, documents: Iterable[Document[Any]]) -> None:
        self._asked: dict[str, list[_Asked]] = {}
        for document in documents:
            wishes = document.value.ignore if is_known(document.value.ignore) else ()
            if wishes:
                self._asked.setdefault(document.file, [_Asked(document, index, wish) for index, wish in enumerate(wishes)])
        self._met: set[tuple[str, int]] = set()
        self._refused: set[tuple[str, int]] = set()

    def because(self, rule: Rule, severity: Severity, place: tuple[str, KeyPath]) -> str | None:
        """Return why a finding of *rule* at *place*, in a file at a path, is left out, None where it is not."""
        file, path = place
        for asked in self._asked.get(file, ()):
            if asked.covers(rule, path):
                if not is_blocking(rule, severity):
                    self._met.add((file, asked.index))
                    return asked.wish.because
                self._refused.add((file, asked.index))
        return None

    def faults(self, rules: Callable[[], Iterable[Rule]], whole: Container[str], *, is_compared: bool) -> Iterator[Placed]:
        """Yield what is wrong with the wishes, once they were asked about all findings.

        Every rule has looked at the files *whole*, those of profiles where it *is_compared* with one: of others nobody knows what is found.
        """
        known = {rule.code: rule for rule in rules()} if self._asked else {}
        for file, wishes in self._asked.items():
            for asked in wishes:
                rule = known.get(asked.wish.rule)
                if rule is None:
                    yield asked.placed(f"no rule has the code '{asked.wish.rule}'; `megasolve rule` lists them")
                elif (file, asked.index) in self._refused:
                    yield asked.placed(f"{rule.code} cannot be ignored here: plans stop on what it finds; repair that")
                elif (file, asked.index) not in self._met and file in whole and (is_compared or rule.kind is not RuleKind.PROFILE):
                    where = "" if asked.wish.at is None else f" at {asked.wish.at}"
                    yield asked.placed(f"{rule.code} finds nothing{where}; remove the entry")


def is_blocking(rule: Rule, severity: Severity) -> bool:
    """Whether a finding makes its file unusable."""
    return severity is Severity.ERROR and rule.kind is RuleKind.FILE
