"""The category of a model, and what shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..text.numbers import percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from megasolve.solver import BatchSweep, Extent

MEANINGS = {
    "stable": "megakernels pay at small and at large batches",
    "receding": "megakernels pay at small batches and not at large ones",
    "advancing": "megakernels pay at large batches and not at small ones",
    "averse": "megakernels pay neither at small nor at large batches",
}
NOTE = "a megakernel pays where the best design with one is faster than the best without any"


def category_lines(batches: BatchSweep) -> list[str]:
    """Return the category, by what it is, and its evidence batch by batch."""
    category = batches.category
    if category.name is None:
        return [f"cannot be told: {category.because}"]
    head = f"megakernel-{category.name} for {batches.objective.value}: {category.because}"
    return [head, f"definition: {MEANINGS[category.name]}; {NOTE}", *map(_extent_line, category.extents), *_marks(batches)]


def _extent_line(extent: Extent) -> str:
    margin = extent.margin
    if margin is None:
        return f"batch {extent.batch}: not known"
    fused = extent.fused.id if extent.fused else ""
    if margin > 0:
        how = f"without any {percent(margin)} slower"
    else:
        how = "as fast as without any" if not margin else f"slower than without any by {percent(1 / (1 + margin) - 1)}"
    return f"batch {extent.batch}: {'pays' if extent.pays else 'does not pay'}, {fused}: {how}; {len(extent.regions)} in the winner"


def _marks(batches: BatchSweep) -> Iterator[str]:
    """Yield the marks that the paper gives of a stable model, and whether they are met."""
    category = batches.category
    if category.name != "stable":
        return
    winning = {region for one in category.extents for region in one.regions}
    lasting = [region for region in category.lasting if region in winning]
    yield f"saving above fixed cost at every batch: {', '.join(lasting) or 'none of the megakernels of the winners'}"
    shares = ", ".join(f"{percent(one.share)} at batch {one.batch}" for one in category.extents)
    is_most = all(one.share > 1 / 2 for one in category.extents)
    yield f"their part of the path to the objective: {shares}; {'most of it everywhere' if is_most else 'not most of it everywhere'}"
