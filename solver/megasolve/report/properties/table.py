"""The table of properties: by section and key, what it means and an example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from megasolve.contracts import Json

HASH = "431d8e56d39f0895ab21025705707a944e79f02ab9f258bd84b703924a4fdf49"
Properties: TypeAlias = Mapping[str, Mapping[str, tuple[str, Json]]]
