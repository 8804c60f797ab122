"""Long chains: an entry, or several, for every run of groups, eager kernels at both ends and graphs between them."""

from __future__ import annotations

from itertools import combinations
from random import Random

from megasolve.contracts import Study
from tests.support.planning.studies import Fields, conventional, group, megakernel, record, spec, study

STREAM: Fields = {"kind": "stream", "host_waits": False, "host_us": 20, "exposed_us": 0}
GRAPH: Fields = {"kind": "graph", "host_waits": False, "host_us": 10, "exposed_us": 5, "gap_us": 1.3}
BUDGETS = (132, 88, 44)


def chain_study(
    random: Random, groups: int, entries: int, *, pairs: bool = False, next_chunk: int | None = None, batches: tuple[int, ...] = (1,)
) -> Study:
    """Return a chain of *groups* with *entries* megakernels for each run of them; with *pairs*, splits are declared, too.

    With *next_chunk*, the frames of a later chunk, it has a time from chunk to chunk. At each further one of *batches* all takes as many
    times as long as it has requests.
    """
    admission, consumers = max(1, groups // 4), max(1, groups // 5)
    names = [f"G{place}" for place in range(groups)]
    roles = ["admission"] * admission + ["producer"] * (groups - admission - consumers) + ["consumer"] * consumers
    budgets = BUDGETS if pairs else BUDGETS[:1]
    us = {name: random.randint(50, 3000) for name in names}
    producers = {*names[admission : groups - consumers]}
    contracts = [
        megakernel(*run, entry=f"{run[0]}_{run[-1]}_{number}", budgets=budgets, dispatch=_dispatch(random), **_loops(producers, run))
        for first, last in combinations(range(groups + 1), 2)
        for run in (names[first:last],)
        for number in range(entries)
    ]
    contracts += [_kernels(names, place) for place in range(groups)]
    known = [
        record(
            one,
            member,
            max(1, int(us[member] * random.uniform(0.55, 1.05) * (132 / ctas) ** 0.3)),
            ctas,
            hbm_bytes=random.randint(0, 10**6),
        )
        for one in contracts
        for member in one["members"]
        for ctas in one.get("budgets_ctas", [132])
    ]
    known += [{**one, "batch": batch, "duration_us": batch * one["duration_us"]} for batch in batches[1:] for one in known]
    declared: Fields = {"batches": list(batches)}
    declared |= {"budget_pairs": [{"producer_ctas": 88, "consumer_ctas": 44}]} if pairs else {"policies": ["serial"]}
    asked = [group(name, role) for name, role in zip(names, roles, strict=True)]
    later = {} if next_chunk is None else {"next_chunk": next_chunk}
    return study(spec(asked, stream={"first_chunk": 2, "lookahead": 6, **later}, **declared), contracts, known)


def _dispatch(random: Random) -> Fields:
    return {"kind": "cooperative", "host_waits": random.random() < 0.7, "host_us": random.choice((20, 45)), "exposed_us": 5}


def _loops(producers: set[str], run: list[str]) -> Fields:
    return {"loops_on_device": producers <= {*run}} if producers & {*run} else {}


def _kernels(names: list[str], place: int) -> Fields:
    """Return the kernels of one group: the first and the last are launched one by one, so that the host is their limit."""
    is_end = place in (0, len(names) - 1)
    return conventional(names[place], dispatch=dict(STREAM if is_end else GRAPH), kernels=100 if is_end else 20)
