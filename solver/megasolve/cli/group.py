"""The group of commands: `megasolve SPEC` means `megasolve solve SPEC`, and every end is an exit code, never a traceback."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from .ending.interrupts import INTERRUPTED, Interrupted, is_interrupted
from .ending.refusals import Refusal
from .ending.streams import ResultLost
from .words.no_spec import what_folder
from .words.options import is_debugging

DEFAULT = "solve"
INTERNAL_ERROR = 3
Returned = TypeVar("Returned")


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

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of the first word; a folder is none, whatever it holds, and is told so."""
        if args[0] not in self.commands and os.path.isdir(args[0]):  # noqa: PTH112 - no name makes it raise
            ctx.fail(what_folder(args[0]))
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Run the program and raise SystemExit with its exit code; the arguments are those of any command of click."""
        raise SystemExit(self.ended(*args, **extra))

    def ended(self, words: Sequence[str] | None = None, **extra: Any) -> int:
        """Run the program on *words*, those of the process by default, and return its exit code; what there is to say is said."""
        asked = {"args": words, "prog_name": self.name, **extra, "standalone_mode": False}
        try:
            return super().main(**asked) or 0
        except click.ClickException as error:
            _on_one_line(error).show()
            return error.exit_code
        except (click.Abort, KeyboardInterrupt):
            return INTERRUPTED
        except ResultLost as error:
            # Help and version; a command refuses by itself.
            Refusal(f"cannot write the result: {error.strerror or error}").show()
            return Refusal.exit_code

    def make_context(self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any) -> click.Context:
        """Read the words of the command line; an internal error becomes its exit code."""
        return _guarded(lambda: super(SpecGroup, self).make_context(info_name, args, parent, **extra), None)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an interrupt or an internal error becomes its exit code."""
        return _guarded(lambda: self._in_a_folder(ctx), ctx)

    def _in_a_folder(self, ctx: click.Context) -> Any:
        try:
            Path.cwd()
        except OSError as error:
            raise Refusal(f"the current folder cannot be used: {error.strerror or error}") from None
        return super().invoke(ctx)


def _on_one_line(error: click.ClickException) -> click.ClickException:
    """Return *error* with the words of the command line that it repeats on one line, and nothing in it that a terminal would obey."""
    # A missing word is none that is repeated, and its choices stand on lines of their own; without any word the message is the help.
    repeats_nothing = isinstance(error, click.MissingParameter | click.exceptions.NoArgsIsHelpError)
    if repeats_nothing or not isinstance(error, click.UsageError):
        return error
    from megasolve.report import one_line

    return click.UsageError(one_line(error.format_message()), error.ctx)


def _means_default(word: str) -> bool:
    # A folder is none: a checkout has folders named like misspelt commands.
    return word.startswith("-") or word.endswith((".yaml", ".yml")) or os.path.isfile(word)  # noqa: PTH113 - no name makes it raise


def _guarded(run: Callable[[], Returned], ctx: click.Context | None) -> Returned:
    try:
        return run()
    except KeyboardInterrupt:
        raise click.exceptions.Exit(INTERRUPTED) from None
    except (click.ClickException, click.exceptions.Exit, click.Abort, ResultLost):
        raise
    except Exception as error:
        if is_interrupted():
            raise Interrupted from None
        _report(error, ctx)
        raise click.exceptions.Exit(INTERNAL_ERROR) from error


def _report(error: Exception, ctx: click.Context | None) -> None:
    if ctx is not None and is_debugging(ctx):
        click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
    what = " ".join(f"{type(error).__name__}: {error}".split())
    click.echo(f"Error: internal error, please report it ({what}); --debug shows the traceback", err=True)
