"""The group of commands: `megasolve SPEC` means `megasolve solve SPEC`, and no fault of ours ends in a traceback."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from .options import is_debugging

DEFAULT = "solve"
INTERNAL_ERROR = 3
INTERRUPTED = 130


class SpecGroup(click.Group):
    """A group whose first word may be a spec instead of a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert the default command where the first word is a spec or an option that only the default command knows."""
        first = self._first_word(ctx, args)
        if first < len(args) and args[first] not in self.commands and _means_default(args[first]):
            args = [*args[:first], DEFAULT, *args[first:]]
        return super().parse_args(ctx, args)

    def _first_word(self, ctx: click.Context, args: Sequence[str]) -> int:
        """Return the position of the first word that is no option of the group."""
        own = {name: parameter for parameter in self.get_params(ctx) for name in parameter.opts}
        index = 0
        while index < len(args) and (option := own.get(args[index].split("=")[0])) is not None:
            index += 1 if "=" in args[index] or getattr(option, "is_flag", False) else 2
        return index

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an interrupt or an internal error becomes its exit code."""
        return _guarded(lambda: super(SpecGroup, self).invoke(ctx), ctx)


def _means_default(word: str) -> bool:
    # A folder is none: a checkout has folders named like misspelt commands.
    return word.startswith("-") or word.endswith((".yaml", ".yml")) or Path(word).is_file()


def _guarded(run: Callable[[], Any], ctx: click.Context) -> Any:
    try:
        return run()
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except Exception as error:
        _report(error, ctx)
        raise click.exceptions.Exit(INTERNAL_ERROR) from error


def _report(error: Exception, ctx: click.Context) -> None:
    if is_debugging(ctx):
        click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
    what = " ".join(f"{type(error).__name__}: {error}".split())
    click.echo(f"Error: internal error, please report it ({what}); --debug shows the traceback", err=True)
