"""The inside of a child: a pair, each side qualified alone and then both beside each other, then timed in random order."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from ...harness.asked_study import asked_session
from ...harness.launching.bench import Bench
from ...harness.launching.qualification import Disqualified
from ...harness.launching.run_arrays import RunArrays
from ...harness.session import Session
from ...harness.versions import driver_versions
from ...programs.group_calls import serial_calls
from ...workloads.named import composing_workload
from ..compositions.candidates import contracts_of
from .meeting import NotCoResident, Turn
from .pair import Pair, calls_of
from .request import CO_RUN_REQUEST, CO_RUN_RESULT, CoRunRequest, CoRunResult, SideTimes, Step
from .rounds import NotBeside, round_beside_us

# So many rounds of the producer fit into those of the consumer, if neither slows the other; at least so many rounds the consumer has.
_PRODUCER_ROUNDS, _LEAST_ROUNDS = 4, 4
_CALIBRATION_ROUNDS = 2
# The flag ends the producer's rounds. Until then it may have to wait for a consumer that takes so many times as long as alone.
_PATIENCE, _MOST_ROUNDS = 32, 1024
_MOST_NAMED = 3


def run_co_run(values: object) -> object:
    """Answer a `CoRunRequest` with a `CoRunResult`, both as values of JSON."""
    request = CO_RUN_REQUEST.validate_python(values)
    with asked_session(request, replace(request.counts, rotations=1)) as session:
        return CO_RUN_RESULT.dump_python(_result(session, request), mode="json")


def _result(session: Session, request: CoRunRequest) -> CoRunResult:
    # Conventional kernels come and go, so only persistent CTAs can meet.
    wanted = request.producer_ctas + (request.consumer_ctas if request.consumer.is_persistent else 0)
    empty = CoRunResult(session.context.device, driver_versions(session.context), wanted, 0)
    try:
        bench = _bench(session, request)
        pair = Pair(bench, request, _CALIBRATION_ROUNDS)
        distance = qualify(bench.arrays, pair)
        return _timed(bench, request, pair, replace(empty, met_ctas=wanted, relative_l2=distance))
    except NotCoResident as error:
        return replace(empty, met_ctas=error.met, because=str(error))
    except (Disqualified, NotBeside) as error:
        return replace(empty, met_ctas=wanted, because=str(error))


def _bench(session: Session, request: CoRunRequest) -> Bench:
    """Return the arrays of the two sides: the steps before theirs run in the reference, so that both find the state that they would."""
    spec = session.study.spec.value
    workload = composing_workload(
        session.study, [one for side in (request.producer, request.consumer) for one in contracts_of(session.study, side)]
    )
    makes, takes = calls_of(spec, request)
    takers, step = {group.name for group in spec.groups_of("consumer")}, min(call.number for call in makes)
    earlier = [call for call in serial_calls(spec) if call.group not in takers and call.number < step]
    return Bench(session, workload, RunArrays(session, workload, (*makes, *takes), request.seed, earlier))


def qualify(arrays: RunArrays, pair: Pair) -> float:
    """Run one round of each side alone, then of both beside each other, and return how far they are from the reference (relative L2).

    What fails alone is a fault of that side, and no co-run is begun with it.
    """
    arrays.load()
    for name, side in (("producer", pair.producer), ("consumer", pair.consumer)):
        with _alone(name):
            pair.run(Turn(side, 1))
    # Alone first: what is wrong then is wrong with the side, and not with what runs beside it.
    _compared(arrays, "one after the other, ")
    arrays.load()
    pair.run(Turn(pair.producer, 1), Turn(pair.consumer, 1))
    return _compared(arrays, "")


@contextmanager
def _alone(name: str) -> Iterator[None]:
    """Say of what goes wrong inside that the side *name* was alone."""
    try:
        yield
    except NotCoResident as error:
        raise NotCoResident(error.met, error.wanted, error.wait_s, f"the {name} alone is ") from None
    except Disqualified as error:
        raise Disqualified(f"the {name} alone {error}") from None


def _compared(arrays: RunArrays, how: str) -> float:
    found = arrays.compared()
    if found.differences:
        raise Disqualified(f"{how}disagrees with the reference: {'; '.join(map(str, found.differences[:_MOST_NAMED]))}")
    return found.relative_l2


def _timed(bench: Bench, request: CoRunRequest, pair: Pair, result: CoRunResult) -> CoRunResult:
    """Return *result* with times: each of producer, consumer and pair once in every sample, in random order."""
    measures = _Measures(bench, request, _lengths(pair))
    # Warmed up as it is timed: caches and clocks are not those of one side alone.
    for step in ("producer", "consumer", "pair") * bench.session.counts.warmups:
        measures.take(step)
    measures.forget()
    draw, order = random.Random(request.seed), list[Step]()
    for _ in range(request.samples):
        steps: list[Step] = ["producer", "consumer", "pair"]
        # Balanced in every sample and drawn within it, so that no time always follows the same other one.
        draw.shuffle(steps)
        for step in steps:
            measures.take(step)
        order.extend(steps)
    producer, consumer = measures.times()
    return replace(result, producer=producer, consumer=consumer, order=tuple(order))


@dataclass(frozen=True, slots=True)
class _Lengths:
    """How many rounds each side has: the producer alone, the consumer, and the producer at most until the flag ends it."""

    producer: int
    consumer: int
    most: int


def _lengths(pair: Pair) -> _Lengths:
    (producer,), (consumer,) = (pair.run(Turn(side, _CALIBRATION_ROUNDS)) for side in (pair.producer, pair.consumer))
    ratio = producer.round_us / consumer.round_us
    rounds = min(max(_LEAST_ROUNDS, math.ceil(_PRODUCER_ROUNDS * ratio)), _MOST_ROUNDS)
    # As many as fill the rounds of the consumer, if neither slows the other.
    beside = max(math.ceil(rounds / ratio), _PRODUCER_ROUNDS)
    return _Lengths(min(beside, _MOST_ROUNDS), rounds, min(_PATIENCE * beside, _MOST_ROUNDS))


class _Measures:
    """The times so far."""

    def __init__(self, bench: Bench, request: CoRunRequest, lengths: _Lengths) -> None:
        self._lengths = lengths
        # Another pair than that of the calibration: only now it is known for how many rounds there must be room.
        self._pair = Pair(bench, request, max(lengths.most, lengths.consumer))
        self.forget()

    def forget(self) -> None:
        """Drop all times: those of the warm-up."""
        self._solo_us: tuple[list[float], list[float]] = ([], [])
        self._pair_us: tuple[list[float], list[float]] = ([], [])

    def take(self, step: Step) -> None:
        """Take one time of a side alone, or of both beside each other."""
        pair, lengths = self._pair, self._lengths
        if step == "producer":
            (run,) = pair.run(Turn(pair.producer, lengths.producer))
            self._solo_us[0].append(run.round_us)
        elif step == "consumer":
            (run,) = pair.run(Turn(pair.consumer, lengths.consumer))
            self._solo_us[1].append(run.round_us)
        else:
            # The producer goes on until the consumer is done: at no instant of its rounds is the consumer alone.
            producer, consumer = pair.run(Turn(pair.producer, lengths.most, until_flag=True), Turn(pair.consumer, lengths.consumer))
            self._pair_us[0].append(round_beside_us(producer, consumer))
            self._pair_us[1].append(consumer.round_us)
            self._sms = pair.producer.sms(), pair.consumer.sms()
            # Two CTAs on one SM share its registers and caches, which no budget of the planner means.
            if shared := sorted(set(self._sms[0]) & set(self._sms[1])):
                raise NotBeside(f"both sides ran on SM {', '.join(map(str, shared[:_MOST_NAMED]))}: a CTA does not keep others off its SM")

    def times(self) -> tuple[SideTimes, SideTimes]:
        """Return the times of the producer and of the consumer."""
        makes, takes = (SideTimes(tuple(self._solo_us[n]), tuple(self._pair_us[n]), self._sms[n]) for n in (0, 1))
        return makes, takes
