"""What launches and waits cost: figures to put into device files and contracts by hand, never written there by themselves."""

from __future__ import annotations

import time
from collections.abc import Callable

from pydantic import TypeAdapter

from megasolve.contracts.measuring.times import SeenCosts, SeenLaunchCost

from ...driver import Argument, DriverLaunch, Graph
from ...harness.asked_study import asked_session
from ...harness.places.probes import TURNS, probes
from ...harness.protocol import Queued, TimedSubject, Timer
from ...harness.request import BLOCK_REQUEST
from ...harness.session import Session
from ...harness.statistics import lower_median

_GRAPH_LAUNCHES = 32
_TURNS_PER_SAMPLE = 200
_THREADS = 256

SEEN_COSTS = TypeAdapter(SeenCosts)
"""How costs come back from a child, as values of JSON."""


def run_costs(values: object) -> object:
    """Measure the costs on the device of a `BlockRequest`, whose experiments do not matter, and return `SeenCosts`, as values of JSON."""
    request = BLOCK_REQUEST.validate_python(values)
    with asked_session(request, request.counts) as session:
        return SEEN_COSTS.dump_python(_measured(session), mode="json")


def _measured(session: Session) -> SeenCosts:
    device = session.context.device
    timer = Timer(session)
    # The clock of the stand-in does not look at the grid, and each of its CTAs takes time on the CPU.
    ctas = 1 if device.fake else device.sms
    plain, cooperative = (session.empty_launch(ctas=ctas, cooperative=kind) for kind in (False, True))
    # Two lengths tell what a further launch adds from what the graph itself costs.
    one, many = (Graph(session.stream, [plain] * count) for count in (1, _GRAPH_LAUNCHES))
    one_us, many_us = _exposed_us(session, timer, one), _exposed_us(session, timer, many)
    launches = {
        "stream": SeenLaunchCost(_host_us(session, plain), _exposed_us(session, timer, plain)),
        "graph": SeenLaunchCost(_host_us(session, one), one_us, (many_us - one_us) / (_GRAPH_LAUNCHES - 1)),
        "cooperative": SeenLaunchCost(_host_us(session, cooperative), _exposed_us(session, timer, cooperative)),
    }
    return SeenCosts(device.name, device.fake, launches, _wait_us(session, timer))


def _exposed_us(session: Session, timer: Timer, work: Queued) -> float:
    return _sampled_us(session, timer, work, lambda: None)


def _host_us(session: Session, work: Queued) -> float:
    """Return how long the host is busy with queueing *work*, Python included."""
    seen = []
    for _ in range(session.counts.samples):
        begun = time.perf_counter()
        work.on(session.stream)
        seen.append((time.perf_counter() - begun) * 1e6)
        session.finish("an empty launch")
    return lower_median(sorted(seen))


def _wait_us(session: Session, timer: Timer) -> float:
    """Return the time of one turn between two CTAs that wait for each other, from runs with many turns and with one."""
    image = probes(_THREADS).compiled(session.context.device.compute_capability).image
    function, counter = session.function(image, TURNS), session.memory(4)

    def run_us(turns: int) -> float:
        arguments: list[Argument] = [counter, session.words.stop, turns]
        # Cooperative: the two CTAs wait for each other, so both must be resident.
        launch = DriverLaunch(function, arguments, grid_ctas=2, block_threads=_THREADS, cooperative=True)
        return _sampled_us(session, timer, launch, lambda: counter.fill_words(0, session.stream))

    # The difference leaves out what the launch and its first turn cost.
    return (run_us(_TURNS_PER_SAMPLE + 1) - run_us(1)) / _TURNS_PER_SAMPLE


def _sampled_us(session: Session, timer: Timer, work: Queued, reset: Callable[[], None]) -> float:
    session.words.clear()
    subject = TimedSubject("an empty launch", (work,), work, 1, reset)
    timer.warm_up(subject)
    return lower_median(sorted(timer.sample_us(subject, number) for number in range(session.counts.samples)))
