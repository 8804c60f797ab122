"""The table of properties: by section and key, what it means and an example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from megasolve.contracts import Json

HASH = "431d8e56d39f0895ab21025705707a944e79f02ab9f258bd84b703924a4fdf49"
Properties: TypeAlias = Mapping[str, Mapping[str, tuple[str, Json]]]

_WISH: Json = {"rule": "REC-15", "because": "batch 3 is kept for a study of next month"}
IGNORE: tuple[str, Json] = ("findings that check leaves out, each with its reason", [_WISH])
IGNORED: Properties = {
    "Ignored": {
        "rule": ("the code of the rule", "REC-15"),
        "at": ("the path below which its findings are left out; without it, in the whole file", "records[3]"),
        "because": ("why", "batch 3 is kept for a study of next month"),
    }
}
