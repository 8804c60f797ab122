"""What a shell proposes: the specs of a folder, and the candidates of a spec. Whatever is wrong, nothing is proposed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

HEAD_BYTES = 4096
# Nobody waits longer for a word to be completed; a large space is searched for as long.
SECONDS = 2


def specs_like(_ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return the specs whose path begins as *begun* does, and the folders that may hold some."""
    from click.shell_completion import CompletionItem

    try:
        return [CompletionItem(path) for path in _paths(begun)]
    except OSError:
        return []


def _paths(begun: str) -> Iterator[str]:
    folder, _, name = begun.rpartition("/")
    inside = Path(f"{folder}/") if "/" in begun else Path()
    for path in sorted(inside.iterdir()):
        is_hidden = path.name.startswith(".") and not name
        if path.name.startswith(name) and not is_hidden:
            if path.is_dir():
                yield f"{path}/"
            elif _is_spec(path):
                yield str(path)


def _is_spec(path: Path) -> bool:
    """Say whether *path* is a spec, by what stands at its head: a shell does not wait for YAML."""
    if path.suffix not in (".yaml", ".yml"):
        return False
    with path.open("rb") as file:
        return b"megasolve: spec/" in file.read(HEAD_BYTES)


def candidates_like(ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return the candidates of the spec before the cursor whose id begins as *begun* does, the best first."""
    from click.shell_completion import CompletionItem

    try:
        return [CompletionItem(name) for name in _ids(ctx.params) if name.startswith(begun)]
    except Exception:  # noqa: BLE001 - a shell has no place for what is wrong with a spec
        return []


def _ids(asked: Mapping[str, object]) -> list[str]:
    from megasolve.contracts import check_spec
    from megasolve.solver import Effort, solve

    spec, device, batch = asked.get("spec"), asked.get("device"), asked.get("batch")
    study, _ = check_spec(str(spec), device=None if device is None else str(device))
    batches = study.spec.value.batches[:1] if batch is None else (int(str(batch)),)
    (ranked,) = solve(study, batches=batches, effort=Effort(seconds=SECONDS)).results
    return [*(one.id for one in ranked.ranking), *(one.id for one in ranked.excluded)]
