"""Lay out a new rule: `python -m tests.new_rule CODE NAME "One sentence."` writes its function, page and files, to be filled in.

The rule is laid out like another one of its family: its function stands behind that one and looks at the same things, and its files begin
as copies of the file that the other one accepts. The registry finds it by itself; the tests of the rules fail until it rejects what its
file announces.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from megasolve.contracts import RULES, Rule, RuleKind
from megasolve.contracts.model.rules import CheckedRule
from megasolve.solver import EXCLUSION_RULES, PLAN_RULES
from tests.support.disk.rule_pages import SECTIONS, head_of, row_of

CHECKOUT = Path(__file__).parents[1]
KNOWN = {rule.code: rule for rule in (*RULES, *EXCLUSION_RULES, *PLAN_RULES)}
WIDTH = 140


@dataclass(frozen=True, slots=True)
class Layout:
    """A new rule, the one that it is laid out like, and the checkout to write to."""

    rule: Rule
    like: Rule
    only_warns: bool
    root: Path

    @property
    def page(self) -> Path:
        """The page of the rule."""
        return self.root / self.rule.page

    @property
    def module(self) -> Path:
        """The module of the rule that this one is like."""
        return self.root / _home_of(self.like).relative_to(CHECKOUT)

    def files(self) -> Iterator[tuple[Path, str]]:
        """Yield the accepted and the rejected file, with their first texts; none for a rule that concerns no file."""
        if self.rule.kind in (RuleKind.EXCLUSION, RuleKind.PLAN):
            return
        (model,) = (self.root / "tests/accept").glob(f"{self.like.code}-{self.like.name}.*")
        name, text = f"{self.rule.code}-{self.rule.name}{model.suffix}", model.read_text()
        yield self.root / "tests/accept" / name, text
        head = f"# expect: {self.rule.code} {name}:1:1\n" if model.suffix == ".yaml" else ""
        yield self.root / "tests" / ("warn" if self.only_warns else "reject") / name, head + text


def lay_out(layout: Layout) -> list[Path]:
    """Write all that the rule needs, and return the files that were written or changed."""
    files = [(layout.page, page_text(layout)), *layout.files()]
    if present := [path for path, _ in files if path.exists()]:
        raise FileExistsError(present[0])
    index = layout.root / "docs/rules/README.md"
    files += [(layout.module, module_text(layout, layout.module.read_text())), (index, index_text(layout, index.read_text()))]
    for path, text in files:
        path.write_text(text)
    return [path for path, _ in files]


def page_text(layout: Layout) -> str:
    """Return a page with the head of the rule and its sections, still empty."""
    sections = [f"## {section}\n" for section in SECTIONS]
    return "\n".join([*head_of(layout.rule, only_warns=layout.only_warns), *sections])


def module_text(layout: Layout, text: str) -> str:
    """Return the module with the rule behind the one that it is like."""
    lines = text.splitlines()
    model = next(node for node in ast.parse(text).body if _states(node, layout.like))
    if isinstance(model, ast.FunctionDef):
        new = ["", "", *_function(layout.rule, model, lines)]
    else:
        new = [f"{_identifier(layout.rule).upper()} = Rule({_stated(layout.rule)})"]
    end = model.end_lineno or 0
    changed = "\n".join([*lines[:end], *new, *lines[end:], ""])
    needs_kind = "RuleKind" in "".join(new) and "RuleKind" not in text
    return changed.replace("model.rules import ", "model.rules import RuleKind, ", 1) if needs_kind else changed


def _states(node: ast.stmt, rule: Rule) -> bool:
    """Whether *node* is the constant of *rule*, or the function that it was made of."""
    made = node.decorator_list if isinstance(node, ast.FunctionDef) else [node.value] if isinstance(node, ast.Assign) else []
    codes = [call.args[0] for call in made if isinstance(call, ast.Call) and call.args]
    return any(isinstance(code, ast.Constant) and code.value == rule.code for code in codes)


def _function(rule: Rule, model: ast.FunctionDef, lines: list[str]) -> list[str]:
    """Return the lines of a function that looks at what *model* looks at, and finds nothing yet."""
    (subject,) = (one.value for one in ast.walk(model.decorator_list[0]) if isinstance(one, ast.keyword) and one.arg == "on")
    signature = lines[model.lineno - 1 : model.body[0].lineno - 1]
    return [
        f"@rule({_stated(rule)}, on={ast.unparse(subject)})",
        *(line.replace(f"def {model.name}(", f"def {_identifier(rule)}(") for line in signature),
        '    """Say here why: what goes wrong where the rule is broken."""',
        "    yield from ()",
    ]


def _stated(rule: Rule) -> str:
    kind = "" if rule.kind is RuleKind.FILE else f", RuleKind.{rule.kind.name}"
    return ", ".join(f'"{text}"' for text in (rule.code, rule.name, rule.summary)) + kind


def _identifier(rule: Rule) -> str:
    return rule.name.replace("-", "_")


def index_text(layout: Layout, text: str) -> str:
    """Return the index of the rules with a line for this one, behind the last one of its family, or else the one that it is like."""
    rule = layout.rule
    before = max((code for code in KNOWN if code[:4] == rule.code[:4] and code < rule.code), default=layout.like.code)
    text = text.replace(row_of(KNOWN[before]), f"{row_of(KNOWN[before])}\n{row_of(rule)}")
    if rule.kind is not RuleKind.LIMIT:
        return text
    return re.sub(r"^These are .+?\.$", lambda found: _with_code(found[0], rule.code), text, count=1, flags=re.MULTILINE | re.DOTALL)


def _with_code(sentence: str, code: str) -> str:
    *others, last = sorted([*re.findall(r"[A-Z]+-\d+", sentence), code])
    return textwrap.fill(f"These are {', '.join(others)} and {last}.", WIDTH, break_on_hyphens=False)


def _home_of(rule: Rule) -> Path:
    """Return the module that states *rule*."""
    if isinstance(rule, CheckedRule):
        return Path(str(import_module(rule.find.__module__).__file__))
    homes = {Path(str(module.__file__)) for name, module in sys.modules.items() if name.startswith("megasolve.") and module.__file__}
    return next(path for path in homes if any(_states(node, rule) for node in ast.parse(path.read_text()).body))


def asked(words: Sequence[str] | None = None) -> Layout:
    """Return what *words* of the command line ask for."""
    parser = argparse.ArgumentParser(prog="python -m tests.new_rule", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("code", help="for example CON-13")
    parser.add_argument("name", help="for example member-repeated; what is wrong, or what must be true")
    parser.add_argument("summary", help="one sentence that says what must be true")
    parser.add_argument("--like", metavar="CODE", help="the rule to stand behind and to look like; else the last of its family")
    parser.add_argument("--kind", choices=[kind.value for kind in RuleKind], help="what a broken rule means; else as for the other one")
    parser.add_argument("--warning", action="store_true", help="the rule only warns: its file lies in tests/warn")
    options = parser.parse_args(words)
    if not re.fullmatch(r"[A-Z]{3}-\d{2}", options.code) or options.code in KNOWN:
        parser.error(f"{options.code} is {'taken' if options.code in KNOWN else 'no code: three letters and two digits, CON-13'}")
    if not re.fullmatch(r"[a-z]+(-[a-z]+)*", options.name) or options.name in {rule.name for rule in KNOWN.values()}:
        parser.error(f"{options.name} is taken, or no name: words in small letters, joined by '-'")
    if not re.fullmatch(r'[A-Z][^"\\\n]*\.', options.summary):
        parser.error("a summary is one sentence, from a capital letter to a full stop, without quotes")
    family = [code for code in KNOWN if code[:4] == options.code[:4]]
    if (like := options.like or max(family, default="")) not in KNOWN:
        families = ", ".join(sorted({code[:3] for code in KNOWN}))
        parser.error(f"--like names a rule that is there, and a new family needs it; families: {families}")
    kind = RuleKind(options.kind) if options.kind else KNOWN[like].kind
    return Layout(Rule(options.code, options.name, options.summary, kind), KNOWN[like], options.warning, CHECKOUT)


def main() -> None:
    """Lay out the rule that the command line asks for."""
    try:
        written = lay_out(asked())
    except FileExistsError as present:
        sys.exit(f"{present} is there already; nothing was written")
    for path in written:
        sys.stdout.write(f"{path.relative_to(CHECKOUT)}\n")
    sys.stdout.write("next: write the function and the page, break the rejected file and say where; then pytest tests/test_acceptance.py\n")


if __name__ == "__main__":
    main()
