"""Where the specs and devices that come with megasolve are."""

from __future__ import annotations

from pathlib import Path


def shipped_specs() -> Path:
    """Return the folder of the shipped specs: the checkout's own, else the copy inside the installed package."""
    return _shipped("specs", "_specs")


def shipped_rules() -> Path:
    """Return the folder of the rules' pages: the checkout's own, else the copy inside the installed package."""
    return _shipped("docs/rules", "_rules")


def _shipped(in_checkout: str, in_package: str) -> Path:
    """Return a folder that is shipped; an editable install has a stale copy in the package, so a checkout comes first."""
    package = Path(__file__).resolve().parents[1]
    checkout = package.parents[2]
    if (checkout / "pyproject.toml").is_file() and (checkout / in_checkout).is_dir():
        return checkout / in_checkout
    return package.parent / in_package
