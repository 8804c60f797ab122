"""The command `example`."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from .ending.refusals import Refusal
from .examples import Example, shipped_examples
from .outputs.modelines import with_schemas
from .outputs.output import paint_for, write_result
from .outputs.writing import write_together
from .words.options import color_option, debug_option


@click.command(short_help="List the shipped examples, or copy one.", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("name", required=False)
@click.option("--to", "folder", metavar="DIR", default=".", show_default=True, help="Copy into this folder; it is made if it is missing.")
@click.option("--force", is_flag=True, help="Overwrite files that are there and differ.")
@color_option
@debug_option
def example(name: str | None, folder: str, force: bool) -> None:
    """List the examples that come with megasolve, or copy the one called NAME with everything that it needs."""
    examples = shipped_examples()
    if name is None:
        write_result(_listed(examples), None)
        return
    chosen = _chosen(examples, name)
    written = _copied(chosen, Path(folder), force=force)
    command = f"megasolve {shlex.quote(str(Path(folder, chosen.spec_name)))}"
    write_result("".join(f"{line}\n" for line in (*map(str, written), "", f"next: {command}")), None)


def _listed(examples: tuple[Example, ...]) -> str:
    from megasolve.report import Column, aligned

    table = aligned([Column("name"), Column("what it is")], [[one.name, one.title] for one in examples], paint_for(None), indent=0)
    return "".join(f"{line}\n" for line in (*table, "", "copy one: megasolve example NAME --to DIR"))


def _chosen(examples: tuple[Example, ...], name: str) -> Example:
    from megasolve.contracts.model.closest import closest

    known = {key: one for one in examples for key in (one.name, one.name.rpartition("/")[2])}
    if name in known:
        return known[name]
    close = closest(name, known)
    repair = f"did you mean {close!r}?" if close else "megasolve example lists them"
    raise click.UsageError(f"no example is called {name!r}; {repair}")


def _copied(chosen: Example, folder: Path, *, force: bool) -> list[Path]:
    """Copy every file of *chosen* that is not there yet, and return their paths; nothing is written if one is in the way."""
    try:
        copied = {folder / target: source.read_bytes() for target, source in chosen.files.items()}
        wanted = with_schemas(copied, folder / "schemas")
        missing = {path: content for path, content in wanted.items() if not path.is_file() or path.read_bytes() != content}
        in_the_way = [path for path in missing if path.exists()]
        if in_the_way and not force:
            more = f" and {len(in_the_way) - 1} more" if len(in_the_way) > 1 else ""
            raise Refusal(f"{in_the_way[0]}{more} would be overwritten; --force does so, --to DIR copies elsewhere")
        write_together(missing, (), lambda: None)
    except OSError as error:
        raise Refusal(f"cannot copy to {error.filename or folder}: {error.strerror or error}") from None
    return list(wanted)
