"""Arrivals: what a queue of requests in front of a planned design adds to its first audio. A simulation, not a prediction of any server.

Requests come independently of each other, so many a second on average, and the GPU serves whole requests one at a time. The waiting
time of the next request is max(0, waiting + service - time between the two) (Lindley's recursion), all of them at once in numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from megasolve.contracts import PS_PER_MS, PS_PER_SECOND
from megasolve.simulate import Deadlock, Objective, score
from megasolve.simulate.plan.need import Question

from ...search.predicates import Judge
from ..compose import compose
from ..result import Interval99, QueueInFront, Ranked
from ..times import Ps
from .findings import REQUESTS_PILE_UP, PlanFinding, Remark

REQUESTS = 1 << 20
RUNS = 64
# Two-sided, of a mean of 64 runs.
WITHIN_99 = 2.656


def queue_in_front(requests_per_s: Fraction, service_ps: Ps, *, requests: int = REQUESTS, seed: int = 0) -> QueueInFront:
    """Simulate so many *requests* in a row, of which the first eighth only fills the queue; the same *seed* gives the same figures."""
    queue = QueueInFront(requests_per_s, service_ps, None, None)
    if queue.utilization >= 1:
        return queue
    import numpy as np

    service = float(service_ps)
    between = np.random.default_rng(seed).exponential(float(PS_PER_SECOND / requests_per_s), requests - 1)
    # W[n] = max(0, W[n-1] + S - A[n]) is how far the walk of S - A stands above the lowest place that it has had so far.
    walk = np.concatenate(([0.0], np.cumsum(service - between)))
    waits = (walk - np.minimum.accumulate(walk))[requests // 8 :]
    runs = np.array_split(waits, RUNS)
    return QueueInFront(
        requests_per_s, service_ps, _interval([float((run > 0).mean()) for run in runs]), _interval([float(run.mean()) for run in runs])
    )


def _interval(means: Sequence[float]) -> Interval99:
    mean = sum(means) / len(means)
    deviation = (sum((one - mean) ** 2 for one in means) / (len(means) - 1)) ** 0.5
    return Interval99(mean, WITHIN_99 * deviation / len(means) ** 0.5)


def queue_of(judge: Judge, ranking: Sequence[Ranked]) -> QueueInFront | None:
    """Return the queue in front of the best design; None where nothing arrives, or it is not known how long a whole request takes."""
    arrivals, row = judge.question.spec.arrivals, next(iter(ranking), None)
    played = row.playback if row else None
    if arrivals is None or row is None or played is None or played.chunks is None:
        return None
    first_ps = _first_publication_ps(judge, row)
    if first_ps is None:
        return None
    service_ps = Fraction(first_ps) + (played.chunks - 1) * Fraction(played.interval_ps)
    return queue_in_front(Fraction(arrivals.requests_per_s), service_ps)


def _first_publication_ps(judge: Judge, row: Ranked) -> Ps | None:
    if judge.question.objective is Objective.FIRST_PUBLICATION:
        return row.score_ps
    question = Question(judge.question.spec, judge.question.batch, Objective.FIRST_PUBLICATION)
    first = Judge(judge.study, question, judge.evidence, judge.effects)
    if not first.is_feasible(row.tied[0], row.candidate.policy):
        return None
    found = score(compose(first, row.candidate, row.tied[0]).composition)
    return None if isinstance(found, Deadlock) else found.value_ps


def arrival_remarks(judge: Judge, ranking: Sequence[Ranked], queue: QueueInFront | None) -> tuple[Remark, ...]:
    """Return what the stated arrivals do to the best design, or why that is not known; nothing where nothing arrives."""
    if judge.question.spec.arrivals is None or not ranking:
        return ()
    if queue is None:
        return ("no queue of arrivals is simulated: what a whole request takes follows from stream.length_steps, next_chunk and frame_us",)
    rate, service = f"{float(queue.requests_per_s):g} requests per second", f"{_ms(queue.service_ps)} ms of the GPU in {ranking[0].id}"
    if queue.busy is None or queue.added_ps is None:
        share = f"{float(queue.utilization):.3f} of what there is (1 or more)"
        because = f"requests come as fast as they are served, or faster: {rate}, each {service}, are {share}: the queue grows without end"
        return (PlanFinding(REQUESTS_PILE_UP, because, ranking[0].id),)
    added, width = queue.added_ps.mean, queue.added_ps.half_width
    found = f"{queue.busy.mean:.1%} find the GPU busy, and first audio comes {_ms(added)} ms later on average"
    runs = f"99 % of such runs within {_ms(added - width)} to {_ms(added + width)} ms"
    exact = f"in closed form {float(queue.utilization):.1%} and {_ms(queue.exact_added_ps)} ms"
    return (f"simulated arrivals, {rate}, one whole request at a time, each {service}: {found} ({runs}; {exact})",)


def _ms(ps: Ps | float) -> str:
    return f"{float(ps) / PS_PER_MS:,.3f}"
