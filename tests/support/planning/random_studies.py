"""Random small studies for Hypothesis: entries missing, launches too large, budgets and records that may or may not be there."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

from megasolve.contracts import Study
from tests.support.planning.studies import GRAPH, SHAPE, Fields, conventional, group, megakernel, record, spec, study

ROLES = ("P admission", "B producer", "L producer", "C consumer")
SPACES = ("B", "P B", "B C", "P B C", "B L C", "P B L C", "P B L")
PAIRS = (
    {"producer_ctas": 88, "consumer_ctas": 44},
    {"producer_ctas": 100, "consumer_ctas": 40},
    {"producer_ctas": 100, "consumer_ctas": 32},
)
BESIDE = {"policies": ["serial", "dynamic", "streams"]}
BUDGETS = (100, 88, 44, 40, 32)


@st.composite
def studies(draw: st.DrawFn, *, is_beside: bool = False) -> Study:
    """Draw a study of one to four groups; where it *is_beside*, designs on two streams may be among its candidates."""
    # A seeded generator, because Hypothesis would draw the ends of every range too often for anything to be supported.
    random = Random(draw(st.integers(0, 2**32 - 1)))
    names = draw(st.sampled_from([one for one in SPACES if "C" in one] if is_beside else SPACES)).split()
    roles = dict(role.split() for role in ROLES)
    contracts = [*_megakernels(random, names), *_conventional(random, names)]
    if is_beside:
        contracts = [one | _kernels(random) if one["backend"] == "conventional" else one for one in contracts]
    records = [one for contract in contracts for one in _records(random, contract)]
    drawn = _spec(random, names, roles)
    return study(drawn | BESIDE if is_beside else drawn, contracts, records)


def _spec(random: Random, names: list[str], roles: dict[str, str]) -> Fields:
    groups = [group(name, roles[name]) for name in names]
    if "C" not in names:
        return spec(groups, publication={"group": "B", "step": 1})
    stream = {"delay": 0, "first_chunk": 1, "lookahead": random.choice((0, 1))}
    policies = random.choice((["serial", "fixed", "dynamic"], ["fixed", "serial"], ["dynamic"]))
    return spec(groups, stream=stream, budget_pairs=random.sample(PAIRS, random.randint(1, 2)), policies=policies)


def _megakernels(random: Random, names: list[str]) -> list[Fields]:
    runs = [names[first:last] for first in range(len(names)) for last in range(first + 1, len(names) + 1)]
    chosen = [(run, variant) for run in runs for variant in ("", "_v2") if random.random() < (0.2 if variant else 0.8)]
    return [_megakernel(random, run, variant) for run, variant in chosen]


def _megakernel(random: Random, run: list[str], variant: str) -> Fields:
    shape: dict[str, Any] = dict(SHAPE)
    if random.random() < 0.06:
        shape |= random.choice(({"threads": 1024, "registers": 128}, {"shared_bytes": 240000}))
    elif "C" not in run and random.random() < 0.2:
        # Two of these share an SM, but none shares one with a codec.
        shape |= {"registers": 128, "ctas_per_sm": 2, "shared_bytes": 110000}
    placement: dict[str, Any] = {"placement": {"packed": "invented"}} if shape["ctas_per_sm"] > 1 and random.random() < 0.5 else {}
    more: dict[str, Any] = {"policies": ["serial", random.choice(("fixed", "dynamic"))]} if random.random() < 0.2 else {}
    if "B" in run:
        more["loops_on_device"] = random.random() < 0.8
    budgets = sorted({132, *(budget for budget in BUDGETS if random.random() < 0.85)} | ({140} if random.random() < 0.1 else set()))
    return megakernel(*run, entry="+".join(run) + variant, budgets=budgets, launch=shape, **placement, **more)


def _conventional(random: Random, names: list[str]) -> list[Fields]:
    found = []
    for name in names:
        if random.random() < 0.7:
            found.append(conventional(name, dispatch=_dispatch(random)))
        if random.random() < 0.3:
            dispatch = _dispatch(random)
            two = {"implementation": "two", "dispatch": dispatch}
            found += [conventional(name, entry=f"{name}_{order}", order=order, **two) for order in (1, 2)]
    return found


def _kernels(random: Random) -> Fields:
    """Return how many kernels a contract launches, and how wide they are."""
    return {"kernels": random.choice((1, 2, 5, 12)), "grid_ctas": random.choice((30, 44, 132, 300))}


def _dispatch(random: Random) -> Fields:
    stream = {"kind": "stream", "host_waits": False, "host_us": 1, "exposed_us": 0}
    return dict(GRAPH) if random.random() < 0.8 else stream


def _records(random: Random, contract: Fields) -> list[Fields]:
    found = []
    for member in contract["members"]:
        for budget in contract.get("budgets_ctas", [132]):
            if random.random() < 0.97:
                one = record(contract, member, random.randint(1, 9), budget)
                if random.random() < 0.1:
                    del one["hbm_bytes"]
                if random.random() < 0.05:
                    one["context"] = {"launch": {**one["context"]["launch"], "threads": 128}}
                found.append(one)
    return found
