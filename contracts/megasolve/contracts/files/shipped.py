"""Where the specs and devices that come with megasolve are."""

from __future__ import annotations

from pathlib import Path


def shipped_specs() -> Path:
    """Return the folder of the shipped specs: the checkout's own, else the copy inside the installed package.

    An editable install has a stale copy in the package, so a checkout comes first.
    """
    package = Path(__file__).resolve().parents[1]
    checkout = package.parents[2]
    if (checkout / "pyproject.toml").is_file() and (checkout / "specs").is_dir():
        return checkout / "specs"
    return package.parent / "_specs"
