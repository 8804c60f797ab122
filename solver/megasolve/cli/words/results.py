"""Result files of `solve` where a spec may stand, too."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from ..ending.refusals import Refusal
from .studies import STDIN, stdin_text

if TYPE_CHECKING:
    from megasolve.solver import FrozenPlan

_SPEC = re.compile(r'"megasolve"\s*:\s*"spec/')
_BEGINNING = 10_000


def is_result(name: str) -> bool:
    """Whether *name* is to be read as a result file: a JSON file that does not say it is a spec, or stdin."""
    return name == STDIN or (name.endswith(".json") and not _says_it_is_a_spec(name))


def _says_it_is_a_spec(name: str) -> bool:
    try:
        with Path(name).open(encoding="utf-8", errors="replace") as file:
            return _SPEC.search(file.read(_BEGINNING)) is not None
    except OSError:
        return False


def read_result(name: str) -> FrozenPlan:
    """Return the plan that the result file *name*, or stdin, holds.

    Raises
    ------
    Refusal
        It cannot be read, or is no result of this version.
    """
    from megasolve.contracts import MegasolveError
    from megasolve.solver import plan_of_text, read_plan

    try:
        return plan_of_text("<stdin>", stdin_text("result")) if name == STDIN else read_plan(name)
    except MegasolveError as error:
        raise Refusal(str(error)) from None
