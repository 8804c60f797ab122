"""The command `rule`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from .outputs.output import paint_for, write_result
from .words.options import color_option, debug_option, output_option


@click.command(short_help="Show the page of a rule.", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name", metavar="[RULE]", required=False)
@output_option
@color_option
@debug_option
def rule(name: str | None, output: str | None) -> None:
    """Show the page of a RULE, by its code (LIM-09) or its name: what it rejects, why, and the repair. Without one, list all rules."""
    from megasolve.contracts.files.shipped import shipped_rules

    pages = {page.stem: page for page in sorted(shipped_rules().glob("???-??.md"))}
    if name is None:
        write_result(_listed(pages, output), output)
        return
    write_result(_page(pages, name).read_text(encoding="utf-8"), output)


def _listed(pages: Mapping[str, Path], output: str | None) -> str:
    from megasolve.report import Column, aligned

    rows = [[code, *_name_and_sentence(page)] for code, page in pages.items()]
    table = aligned([Column("rule"), Column("name"), Column("what it says")], rows, paint_for(output), indent=0)
    return "".join(f"{line}\n" for line in (*table, "", "show one: megasolve rule CODE"))


def _page(pages: Mapping[str, Path], asked: str) -> Path:
    from megasolve.contracts.model.closest import closest

    known = {**pages, **{_name_and_sentence(page)[0]: page for page in pages.values()}}
    for spelling in (asked.upper(), asked.lower()):
        if spelling in known:
            return known[spelling]
    close = closest(asked.upper(), pages) or closest(asked.lower(), known)
    repair = f"did you mean {close}?" if close else "megasolve rule lists them"
    raise click.UsageError(f"no rule is called {asked!r}; {repair}")


def _name_and_sentence(page: Path) -> tuple[str, str]:
    """Return the name of the rule of *page* and its sentence, which stand in its title and in its first paragraph."""
    title, _, paragraph, *_ = page.read_text(encoding="utf-8").splitlines()
    return title.split()[-1], paragraph
