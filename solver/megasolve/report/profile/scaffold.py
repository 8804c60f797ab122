"""A new study as text: what was written, what was assumed, and what is to be done next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from ..text.kernel_words import microseconds
from ..text.numbers import percent
from ..text.outside import outside_lines
from ..text.paint import PLAIN, Paint
from ..text.tables import one_line
from .observation import further_lines, unattributed_lines
from .today import today_lines

if TYPE_CHECKING:
    from megasolve.contracts.observe import Observation
    from megasolve.contracts.scaffold import BatchPart, Scaffold, ShapedStep

_MOST_BELOW = 5
_MANY = 10**6


def scaffold_text(
    observation: Observation, made: Scaffold, written: Sequence[str], command: str, *, comparing: str | None = None, paint: Paint = PLAIN
) -> str:
    """Return what a new study is; *written* are its files and *command* is what to run next.

    *comparing* is the command that compares it with its profiles, where the spec cannot name them.
    """
    remarks = [*outside_lines(observation.outside), *made.assumed, *(f"left out: {sentence}" for sentence in observation.left_out)]
    if comparing is not None:
        remarks.append(f"a profile lies outside the project of the spec, so check compares with them only where it is told to: {comparing}")
    notes = [paint.yellow(f"NOTE: {one_line(note)}") for note in observation.notes]
    shapes = [] if made.shapes is None else [*shape_lines(made.shapes)]
    today = [] if made.today is None else [*today_lines(made.today), ""]
    lines = [
        *today,
        *(f"wrote {one_line(path)}" for path in written),
        "",
        sum_line(made),
        *map(one_line, [*map(_batch_line, made.batches), *shapes, *remarks]),
        *notes,
    ]
    further = [line for one in made.batches for line in further_lines(one.observation, _of_batch(one), observation.notes, paint=paint)]
    return "".join(f"{line}\n" for line in (*lines, *unattributed_lines(observation, paint), *further, "", f"next: {command}"))


def _of_batch(part: BatchPart) -> str:
    return f"batch {part.batch:,}: "


def _batch_line(part: BatchPart) -> str:
    adds_up = f"{_of_batch(part)}one step: {microseconds(part.step_ps)} of kernels and gaps"
    return adds_up if part.span_ps in {None, part.step_ps} else f"{adds_up}; {microseconds(part.span_ps or 0)} in the profile"


def shape_lines(shapes: ShapedStep) -> Iterator[str]:
    """Yield what the operators of one step come to, by the shapes that the profile recorded."""
    of = f"{shapes.recognized:,} of {shapes.launches:,} launches of a step are recognized by their shapes"
    yield f"operators: {of}: {shapes.parameters:,} parameters of weights, each once"
    if shapes.flops:
        layers = f", {flops(shapes.layer_product_flops)} of them in the layers" if shapes.layer_product_flops else ""
        yield f"FLOPs of one step: {flops(shapes.flops)}; {flops(shapes.product_flops)} in matrix products{layers}"
    if not shapes.below:
        yield "floor: no kernel takes less than its bytes and FLOPs at the peaks of the device"
    yield from (f"floor: {sentence}" for sentence in shapes.below[:_MOST_BELOW])
    if len(shapes.below) > _MOST_BELOW:
        yield f"floor: {len(shapes.below) - _MOST_BELOW:,} more kernels take less than their floor"


def flops(number: int) -> str:
    """Return a number of FLOPs with five digits."""
    return f"{number:.4e}".replace("e+", "e") if number >= _MANY else f"{number:,}"


def sum_line(made: Scaffold) -> str:
    """Return what one step adds up to, beside what it took in the profile."""
    beyond = f", without {' and '.join(made.outside)} outside of the steps" if made.outside else ""
    adds_up = f"one step: {microseconds(made.step_ps)} of kernels and gaps{beyond}"
    if made.span_ps is None:
        return f"{adds_up}; the profile has no timeline to compare it with"
    if made.is_shared:
        return f"{adds_up}, which the profile does not show: its groups ran beside each other"
    if made.step_ps == made.span_ps:
        return f"{adds_up}, exactly as in the profile{' but for what is outside' if made.has_outside else ''}"
    if not made.span_ps:
        return f"{adds_up}; no time at all in the profile"
    if made.blocks and made.step_ps < made.span_ps:
        usual = f"{microseconds(made.step_ps)} with each kernel of {', '.join(made.blocks)} at its lower median over the repeats"
        return f"one step: {microseconds(made.span_ps)} in the profile{beyond}; {usual}"
    off = percent(Fraction(abs(made.step_ps - made.span_ps), made.span_ps))
    return f"{adds_up}; {microseconds(made.span_ps)} in the profile, {off} off"
