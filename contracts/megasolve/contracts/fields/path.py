"""Paths of fields as people write them: ``records[group=B,entry=B_L,budget=88,batch=1].duration_us``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..model.errors import MegasolveError

_STEP = re.compile(r"(?P<key>[A-Za-z_][A-Za-z0-9_-]*)(?:\[(?P<selector>[^\[\]]*)\])?(?P<end>\.|$)")
FORMS = "device.launch.graph.gap_us, stream.lookahead, contracts[ENTRY].dispatch.host_us, records[group=B,batch=1].duration_us"


class UnusableField(MegasolveError):
    """A path that names no field, or a value that its fields do not take."""


@dataclass(frozen=True, slots=True)
class Step:
    """One *key* of a path; of a list under it, the entries that have all of *wanted*. A word without a key is their name, or place."""

    key: str
    wanted: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        wanted = ",".join(f"{key}={value}" if key else value for key, value in self.wanted)
        return f"{self.key}[{wanted}]" if wanted else self.key


def parse_path(text: str) -> tuple[Step, ...]:
    """Return the steps of the path *text*.

    Raises
    ------
    UnusableField
        It is no path.
    """
    found: list[Step] = []
    at, is_open = 0, True
    while is_open:
        match = _STEP.match(text, at)
        if match is None:
            raise UnusableField(f"{text!r} is no path of a field: it breaks off at {text[at:][:40]!r}; paths look like {FORMS}")
        found.append(Step(match["key"], _wanted(text, match["selector"])))
        at, is_open = match.end(), match["end"] == "."
    return tuple(found)


def _wanted(text: str, selector: str | None) -> tuple[tuple[str, str], ...]:
    if selector is None or selector.strip() == "*":
        return ()
    parts = [part.strip() for part in selector.split(",")]
    if not all(parts) or any(part.startswith("=") or part.endswith("=") for part in parts):
        raise UnusableField(f"{text!r}: [{selector}] selects nothing; write [KEY=VALUE,KEY=VALUE], [NAME], [0] or [*]")
    pairs = (part.rpartition("=") for part in parts)
    return tuple((key.strip(), value.strip()) for key, _, value in pairs)
