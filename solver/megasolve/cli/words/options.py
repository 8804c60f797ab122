"""Options that every command understands, before its name or after it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from .completion import specs_like

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_COLOR = "megasolve.color"
_DEBUG = "megasolve.debug"


def _remember(key: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def keep(ctx: click.Context, _parameter: click.Parameter, value: Any) -> None:
        if value:
            ctx.meta[key] = value

    return keep


def color_option(command: Decorated) -> Decorated:
    """Add --color."""
    return click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        expose_value=False,
        callback=_remember(_COLOR),
        help="Colour the output; auto (the default) does so on a terminal unless NO_COLOR is set, and anywhere if FORCE_COLOR is set.",
    )(command)


def set_option(command: Decorated) -> Decorated:
    """Add --set."""
    return click.option(
        "--set",
        "settings",
        metavar="PATH=VALUE",
        multiple=True,
        help="Ask what if: plan with this value in place of what the files have, say device.launch.graph.gap_us=0.5 or "
        "'records[group=B,batch=1].duration_us=120'; may be given often.",
    )(command)


def debug_option(command: Decorated) -> Decorated:
    """Add --debug."""
    return click.option(
        "--debug", is_flag=True, expose_value=False, callback=_remember(_DEBUG), help="Show the traceback of an internal error."
    )(command)


def version_option(command: Decorated) -> Decorated:
    """Add --version."""
    return click.option(
        "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version and exit."
    )(command)


def device_option(command: Decorated) -> Decorated:
    """Add --device."""
    return click.option(
        "--device", metavar="NAME|PATH", help="Use this device: a name that the spec or the package knows, or the path of a device file."
    )(command)


def simulated_hardware_option(command: Decorated) -> Decorated:
    """Add --allow-simulated-hardware."""
    return click.option(
        "--allow-simulated-hardware",
        is_flag=True,
        help="Take records of runs on a stand-in for the hardware, too, which are refused otherwise; the result names them so.",
    )(command)


def root_option(command: Decorated) -> Decorated:
    """Add --root."""
    return click.option(
        "--root",
        metavar="DIR",
        help="Let a spec name files below DIR, which holds it; by default below the nearest folder above it that holds .git, else its own.",
    )(command)


def output_option(command: Decorated) -> Decorated:
    """Add -o/--output."""
    return click.option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the result to FILE instead of stdout; FILE changes only when the result is whole; one called *.json holds JSON.",
    )(command)


def spec_argument(command: Decorated) -> Decorated:
    """Add the argument SPEC, and --stdin-filename for a spec that comes from stdin."""
    return click.argument("spec", shell_complete=specs_like)(_stdin_option(command))


def specs_argument(command: Decorated) -> Decorated:
    """Add the argument SPEC..., and --stdin-filename for one that comes from stdin."""
    return click.argument("specs", metavar="SPEC...", nargs=-1, required=True, shell_complete=specs_like)(_stdin_option(command))


def _stdin_option(command: Decorated) -> Decorated:
    return click.option(
        "--stdin-filename",
        metavar="PATH",
        help="With SPEC - (stdin): the file that the spec would be; its contracts and records are looked up from there.",
    )(command)


def _print_version(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        click.echo(f"megasolve {version()}")
        ctx.exit()


def version() -> str:
    """Return the version of the installed package, or that there is none."""
    # Not by way of `program_version`, whose package loads more than `--version` takes.
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed_version

    try:
        return installed_version("megasolve")
    except PackageNotFoundError:
        return "0+not.installed"


def is_debugging(ctx: click.Context) -> bool:
    """Whether the user asked for tracebacks."""
    return bool(ctx.meta.get(_DEBUG))


def wants_color(ctx: click.Context, *, is_terminal: bool) -> bool:
    """Whether to colour a stream: as --color says, else as NO_COLOR and FORCE_COLOR say, else on a terminal."""
    choice = ctx.meta.get(_COLOR, "auto")
    if choice != "auto":
        return bool(choice == "always")
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return is_terminal and os.environ.get("TERM") != "dumb"


def is_progress_wanted() -> bool:
    """Whether somebody watches stderr."""
    return sys.stderr.isatty()
