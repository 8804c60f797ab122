"""How headroom is said: the answer in sentences, verdicts with their figures, and what nobody knows."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from megasolve.contracts.model.wording import counted

from ..text.kernel_words import microseconds
from ..text.numbers import decimal_text, percent, unit_of
from ..text.short_ids import short_id

if TYPE_CHECKING:
    from megasolve.solver import BatchHeadroom, Headroom, SpentToday

_CANNOT, _FASTER, _LAUNCHES, _ANY = "cannot pay", "pays only if faster", "pays by launches alone", "pays at any time"


def answer_lines(batch: BatchHeadroom) -> list[str]:
    """Return the answer in three sentences, for somebody who reads nothing else."""
    return [_today_sentence(batch), _best_sentence(batch), _count_sentence(batch)]


def opening_lines(batch: BatchHeadroom) -> list[str]:
    """Return today, as a CUDA graph, and at the floor; today alone where it has a megakernel already."""
    spent = batch.spent
    if spent is None or not spent.total_ps:
        return [_today_sentence(batch)]
    return [_today_sentence(batch), graph_sentence(spent), _floor_sentence(spent)]


def graph_sentence(spent: SpentToday) -> str:
    """Return what the kernels of today would take as nodes of one CUDA graph."""
    if spent.is_graph:
        return "As a CUDA graph: most of its kernels are replayed by one already."
    unit = unit_of(spent.total_ps)
    gap = f"{microseconds(spent.gap_ps)} between kernels, {'as the device states' if spent.is_gap_stated else 'taken as usual'}"
    dependent = f"{unit.text(spent.as_dependent_graph_ps)} with dependent launch ({microseconds(spent.dependent_gap_ps)})"
    return f"As a CUDA graph the same kernels would take {unit.text(spent.as_graph_ps)} ({gap}), {dependent}."


def _floor_sentence(spent: SpentToday) -> str:
    if spent.opaque == spent.kernels:
        return "At the floor: unknown, as no kernel says what it computes."
    opaque = f"; as today where nobody says what is computed ({counted(spent.opaque, 'kernel')})" if spent.opaque else ""
    return f"At the floor: {unit_of(spent.total_ps).text(spent.floor_ps)}, its kernels one by one at the peaks of the device{opaque}."


def verdict_words(row: Headroom) -> str:
    """Return the verdict on *row* with the figure that goes with it; of an assumed entry also what it comes to."""
    said = _payoff_words(row)
    return said if row.supposed is None else f"{row.supposed.outlook.value}; {said}"


def _payoff_words(row: Headroom) -> str:
    verdict, factor = row.judged.verdict.value, row.judged.factor
    if verdict == _FASTER and factor is not None:
        by = f"{_by(1 - factor)} " if factor < 1 else ""
        return f"pays only if {by}faster than today's kernels"
    if verdict == _LAUNCHES and factor is not None and factor > 1:
        return f"{verdict}, even with tiles {_slower(factor)}"
    return verdict


_MANY, _ALL = 3, 1000
"""From how many times the time of today's kernels on tiles are said to be so many times as slow, and to be free to take what they like."""


def _slower(factor: Fraction) -> str:
    if factor < _MANY:
        return f"{_by(factor - 1)} slower"
    return f"{factor.__floor__():,} times as slow" if factor < _ALL else f"more than {_ALL:,} times as slow"


def named(row: Headroom) -> str:
    """Return the region of *row*, and how it is launched where that could be both ways."""
    region = short_id(row.region)
    return f"{region}, {_LAUNCHED[row.launched]}" if row.launched else region


_LAUNCHED = {"each repeat": "launched for each repeat", "all repeats": "staying over all repeats"}


def launch_line(batch: BatchHeadroom) -> str:
    """Return what one launch of a new megakernel is taken to cost, and because of what."""
    launch = batch.launch
    if not launch.is_known:
        return f"launch of a new megakernel: taken to cost nothing, because {launch.because}; say it with --launch US"
    cost = launch.cost
    host = f"{microseconds(cost.host_ps)} of the host and " if cost.host_ps else ""
    return f"launch of a new megakernel: {host}{microseconds(cost.exposed_ps)} of the device, {launch.because}"


def floor_notes(batch: BatchHeadroom) -> Iterator[str]:
    """Yield what the floors leave out, and in which designs a region was tried."""
    largest = max(batch.regions, key=lambda row: row.floor.kernels, default=None)
    if largest is None:
        return
    floor = largest.floor
    if not floor.is_whole:
        yield (
            f"floors count only kernels whose operators are known, {floor.known:,} of {floor.kernels:,} in {short_id(largest.region)}: "
            "the others count nothing, so that no region is called hopeless for them"
        )
    if any(row.floor.cached_bytes for row in batch.regions):
        yield "floors leave out the weights that the call before may have left in L2, shared memory and registers"
    if _is_tried_apart(batch):
        yield (
            "regions without an assumed entry are tried in serial designs, and the best design of today runs side by side: what a "
            "megakernel would give there, --plan or `assume:` in the spec says"
        )
    if any(not row.break_even.is_only for row in batch.regions):
        yield "break-even times under shared memory bandwidth are not the only ones possible; further ones that were seen are in the JSON"


def _today_sentence(batch: BatchHeadroom) -> str:
    unit = unit_of(batch.baseline.score_ps)
    what = batch.objective.value.replace("_", " ")
    today = f"Today {what} takes {unit.text(batch.baseline.score_ps)} with {short_id(batch.baseline.id)}"
    spent = batch.spent
    if spent is None or not spent.total_ps:
        return f"{today}, the best design with evidence."
    share = percent(Fraction(spent.idle_ps) / Fraction(spent.total_ps))
    kernels = counted(spent.kernels, "kernel")
    return f"{today}: {kernels} keep the device busy for {unit.text(spent.busy_ps)}, and {share} is launches, gaps and waits."


def _best_sentence(batch: BatchHeadroom) -> str:
    paying = [row for row in batch.regions if row.judged.verdict.value != _CANNOT and row.saves_ps]
    if not batch.regions and batch.notes:
        return f"No region can be looked at: {batch.notes[0]}."
    if not batch.regions:
        return "Every region that could be a megakernel has evidence of one: megasolve ranks them."
    if not paying:
        return (
            f"No further megakernel can pay{_IN_ORDER[_is_tried_apart(batch)]}: at its floor every region still loses against that design."
        )
    row = paying[0]
    unit = unit_of(batch.baseline.score_ps)
    share = percent(Fraction(row.saves_ps) / Fraction(batch.baseline.score_ps))
    floor = "" if row.floor.bound_by else ", no floor is known"
    saves = f"A megakernel for {named(row)} could save most, at most {unit.text(row.saves_ps)} ({share}{floor})"
    return f"{saves}: it {_must(row)}."


_IN_ORDER = {False: "", True: " in serial order"}


def _is_tried_apart(batch: BatchHeadroom) -> bool:
    """Whether the best design of today runs things side by side, and some region was tried one after the other alone."""
    return not batch.baseline.is_serial and any(row.supposed is None for row in batch.regions)


def _must(row: Headroom) -> str:
    time_ps = row.break_even.time_ps
    if time_ps is None:
        return "pays whatever it takes"
    today = f"where today's kernels take {microseconds(row.today.kernels_ps)}"
    return f"must take no more than {microseconds(time_ps)} {today}; {_payoff_words(row)}"


def _count_sentence(batch: BatchHeadroom) -> str:
    best = {row.region: row.judged.verdict.value for row in reversed(batch.regions)}
    verdicts = list(best.values())
    said = [
        (_LAUNCHES, "pay by launches alone"),
        (_FASTER, "only if faster than today's kernels"),
        (_CANNOT, _CANNOT),
        (_ANY, "at any time"),
    ]
    parts = [f"{verdicts.count(verdict):,} {words}" for verdict, words in said if verdict in verdicts]
    order = "; in which order to write what is assumed: --plan" if any(row.supposed for row in batch.regions) else ""
    if not parts and batch.notes:
        return "So nothing can be said of what a megakernel would give."
    if not parts:
        return "No region is without evidence, so there is nothing to assume."
    return f"Of {counted(len(verdicts), 'region')} without a megakernel, {', '.join(parts)}{order}."


def _by(share: Fraction) -> str:
    """Return a share in percent with one decimal; one too small to show is not shown as none."""
    return f"{decimal_text(share * 100, 1)} %" if share * 1000 >= 1 or not share else "<0.1 %"
