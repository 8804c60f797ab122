"""Launches of one call each, of which whole candidates and co-runs are made where a workload says nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from megasolve.contracts import Contract
from megasolve.gpu.programs.group_calls import Call, Streams
from megasolve.gpu.workloads import Arrays, AskedCall, LaunchSet, LaunchSide, NotOffered, Scratch, StatedCall, StatedLaunch
from megasolve.gpu.workloads.alone import alone
from tests.support.kernels.streamlet import entry_of, shipped


@dataclass(frozen=True, slots=True)
class Counting(StatedCall):
    """A call that counts in its scratch."""

    def miscounted(self, scratch: Arrays) -> str | None:
        left = {name: words.tolist() for name, words in scratch.items()}
        return f"{self.title}: {left}"


def launches(call: AskedCall, contracts: Sequence[Contract], ctas: int) -> StatedCall:
    """Return a launch that is handed the number of its call, and scratch that all calls give one name."""
    (contract,) = contracts
    return Counting((StatedLaunch("kernel", ctas, (call.number, Scratch("ticket", 1)), contract.entry),), call.group)


def asked(*sides: tuple[str, int, tuple[Call, ...]]) -> LaunchSet:
    made = tuple(LaunchSide(entry_of(shipped(), entry), ctas, calls) for entry, ctas, calls in sides)
    calls = [side.calls for side in made]
    return LaunchSet(shipped(), 1, Streams(*calls) if len(calls) == 1 else Streams((), *calls), made)


def test_one_call_is_launched_as_it_is_alone_with_its_number() -> None:
    stated = alone(launches, asked(("C", 44, (Call("C", 2),))))
    assert stated == Counting((StatedLaunch("kernel", 44, (2, Scratch("ticket", 1)), "C"),), "C")


def test_two_sides_have_scratch_of_their_own_and_each_judges_that() -> None:
    stated = alone(launches, asked(("L", 88, (Call("L", 4),)), ("C", 44, (Call("C"),))))
    assert [(one.entry, one.grid_ctas, one.arguments) for one in stated.launches] == [
        ("L", 88, (4, Scratch("L: ticket", 1))),
        ("C", 44, (1, Scratch("C: ticket", 1))),
    ]
    left = {f"{entry}: ticket": np.array([ctas]) for entry, ctas in (("L", 88), ("C", 44))}
    assert stated.miscounted(left) == "L: {'ticket': [88]}"


@pytest.mark.parametrize(
    "sides",
    [
        [("B_L", 88, (Call("B", 1), Call("L", 1)))],
        [("L", 88, (Call("L", 3),)), ("C", 44, (Call("C", 1),))],
    ],
)
def test_calls_that_wait_for_each_other_on_the_device_are_refused(sides: list[tuple[str, int, tuple[Call, ...]]]) -> None:
    with pytest.raises(NotOffered, match=r"no composed\(\) of it launches .*, which wait for each other on the device \(docs/measuring.md"):
        alone(launches, asked(*sides))


def test_a_megakernel_of_several_launches_is_refused() -> None:
    def twice(call: AskedCall, contracts: Sequence[Contract], ctas: int) -> StatedCall:
        stated = launches(call, contracts, ctas)
        return StatedCall(stated.launches * 2)

    with pytest.raises(NotOffered, match=r"launches\(\) makes 2 launches of C1 in entry 'C', and in a whole candidate or co-run"):
        alone(twice, asked(("C", 44, (Call("C"),))))
