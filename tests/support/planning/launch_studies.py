"""Random studies in which everything is supported and launches cost whatever they like: all kinds of launches, all figures."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from random import Random

from hypothesis import strategies as st

from megasolve.contracts import Study
from tests.support.planning.studies import Fields, conventional, group, megakernel, record, spec, study

ROLES = {"P": "admission", "Q": "admission", "B": "producer", "L": "producer", "C": "consumer", "D": "consumer"}
CHAINS = ("P", "PQ", "B", "BL", "PB", "PQB", "PBL", "PQBL", "BC", "BLC", "PBC", "BCD", "PBLC", "PBCD", "PQBC", "BLCD")
GRAPHS = ("PBL", "BLC", "PBC", "BCD", "PBLC", "PBCD", "PQBC", "BLCD", "PQBL")
PAIR: Fields = {"producer_ctas": 88, "consumer_ctas": 44}
BUDGETS = (132, 88, 44)
KINDS = ("stream", "graph", "cooperative")
COSTS_US = (0, 0, 0.5, 1, 3, 7, 20)


@st.composite
def launch_studies(draw: st.DrawFn) -> Study:
    """Draw a study of one to four groups without memory traffic."""
    # A seeded generator, because Hypothesis would draw the ends of every range too often.
    return chain_of_launches(Random(draw(st.integers(0, 2**32 - 1))))


def chain_of_launches(random: Random) -> Study:
    """Return a study of one to four groups in a chain without memory traffic."""
    names = random.choice(CHAINS)
    launch = {kind: _figures(random, kind, 1.0) for kind in KINDS if random.random() < 0.7}
    contracts = [*_megakernels(random, _runs(names), names, launch), *_conventional(random, names, launch)]
    return study(_spec(random, names), contracts, _records(random, contracts), launch=launch)


def graph_study(random: Random) -> Study:
    """Return a study of three or four groups with any edges from earlier to later ones, and entries for any of their sets."""
    names = random.choice(GRAPHS)
    launch = {kind: _figures(random, kind, 1.0) for kind in KINDS if random.random() < 0.7}
    pairs = list(combinations(names, 2))
    edges = [{"from": source, "to": target} for source, target in random.sample(pairs, random.randint(1, len(pairs) - 1))]
    contracts = [*_megakernels(random, _sets(names), names, launch), *_conventional(random, names, launch)]
    return study({**_spec(random, names), "edges": edges}, contracts, _records(random, contracts), launch=launch)


def repeated_study(random: Random) -> Study:
    """Return a study of groups in a chain, a block of which is repeated, with entries that loop over it, over the steps, or not."""
    names = random.choice([one for one in CHAINS if "B" in one])
    block = random.choice([part for part in ("B", "L", "BL") if part in names])
    launch = {kind: _figures(random, kind, 1.0) for kind in KINDS if random.random() < 0.7}
    contracts = [*_megakernels(random, _runs(names), names, launch), *_conventional(random, names, launch)]
    for one in contracts:
        if one["backend"] == "megakernel" and {*block} <= {*one["members"]}:
            one.pop("loops_on_device", None)
            one["loops_over"] = random.choice(([], ["repeat"], ["repeat", "steps"]))
    repeat = {"name": "layer", "times": random.choice((1, 2, 3, 7)), "groups": [*block]}
    return study({**_spec(random, names), "repeat": repeat}, contracts, _records(random, contracts), launch=launch)


def layered_study(random: Random) -> Study:
    """Return a study of up to six groups in a chain, of which some runs are repeated, mostly with kernels that are launched one by one."""
    counts = random.choice(((0, 3, 0), (0, 4, 1), (1, 3, 1), (0, 5, 0), (2, 3, 0), (1, 3, 2), (3, 1, 1), (0, 2, 3), (1, 4, 0)))
    roles = [role for role, count in zip(("admission", "producer", "consumer"), counts, strict=True) for _ in range(count)]
    names = "GHIJKM"[: len(roles)]
    blocks = _blocks(random, roles)
    groups = [group(name, role, calls=random.randint(1, 2)) for name, role in zip(names, roles, strict=True)]
    launch = {kind: _figures(random, kind, 1.0) for kind in KINDS}
    contracts = [*_alike(random, names, launch), *_few(random, _runs(names), launch)]
    ends: Fields = {"publication": {"group": random.choice(names)}}
    if counts[2]:
        ends = {"stream": {"first_chunk": random.randint(1, 2), "lookahead": random.randint(0, 2), "next_chunk": 2}, "budget_pairs": [PAIR]}
    repeat = [
        {"name": f"layer{place}", "times": random.choice((1, 2, 5)), "groups": [*names[first:last]]}
        for place, (first, last) in enumerate(blocks)
    ]
    return study({**spec(groups, **ends), "repeat": repeat}, contracts, _records(random, contracts), launch=launch)


def _alike(random: Random, names: str, launch: Fields) -> list[Fields]:
    """Return a kernel or two for each group, most of them launched in the same way."""
    usual, found = random.choice(("stream", "stream", "cooperative", "graph")), list[Fields]()
    for name in names:
        for variant in ("", "_v2")[: random.choice((1, 1, 1, 2))]:
            kind = usual if random.random() < 0.85 else random.choice(KINDS)
            dispatch = _dispatch(random, kind, launch, is_kernel=True)
            found.append(conventional(name, entry=f"{name}{variant}", dispatch=dispatch, implementation=f"i{variant}"))
    return found


def _few(random: Random, runs: list[str], launch: Fields) -> list[Fields]:
    """Return an entry for one run in five, which loops over the repeats, over the steps, over both or over neither."""
    found = []
    for run in runs:
        if random.random() < 0.2:
            dispatch = _dispatch(random, "cooperative", launch, is_kernel=False)
            over = [what for what in ("repeat", "steps") if random.random() < 0.5]
            found.append({**megakernel(*run, budgets=BUDGETS, dispatch=dispatch), "loops_over": over})
    return found


def _blocks(random: Random, roles: Sequence[str]) -> list[tuple[int, int]]:
    """Return one or two runs of groups of one role each, in order."""
    runs = [(first, last) for first, last in combinations(range(len(roles) + 1), 2) if len({*roles[first:last]}) == 1]
    first = random.choice([run for run in runs if run[1] - run[0] > 1])
    others = [run for run in runs if run[1] <= first[0] or run[0] >= first[1]]
    return sorted([first, random.choice(others)] if others and random.random() < 0.5 else [first])


def _runs(names: str) -> list[str]:
    return [names[first:last] for first, last in combinations(range(len(names) + 1), 2)]


def _sets(names: str) -> list[str]:
    return ["".join(chosen) for count in range(1, len(names) + 1) for chosen in combinations(names, count)]


def _records(random: Random, contracts: list[Fields]) -> list[Fields]:
    return [
        record(one, member, random.choice((1, 2.5, 4, 9)), ctas)
        for one in contracts
        for member in one["members"]
        for ctas in one.get("budgets_ctas", [132])
    ]


def _spec(random: Random, names: str) -> Fields:
    groups = [group(name, ROLES[name], calls=random.randint(1, 3)) for name in names]
    if not {"C", "D"} & {*names}:
        waits_for = random.choice(names)
        step = {} if ROLES[waits_for] == "admission" else {"step": random.randint(1, 4)}
        return spec(groups, publication={"group": waits_for, **step})
    stream = {"delay": random.randint(0, 1), "first_chunk": random.randint(1, 2), "lookahead": random.randint(0, 2)}
    return spec(groups, stream={**stream, "next_chunk": random.randint(1, 3)}, budget_pairs=[PAIR])


def _figures(random: Random, kind: str, likely: float) -> Fields:
    """Return launch costs of *kind*, each with this probability."""
    names = ("host_us", "exposed_us", "gap_us") if kind == "graph" else ("host_us", "exposed_us")
    return {name: random.choice(COSTS_US) for name in names if random.random() < likely}


def _dispatch(random: Random, kind: str, launch: Fields, *, is_kernel: bool) -> Fields:
    """Return a dispatch of *kind* with all figures that the device lacks, and some of those that it has."""
    own = _figures(random, kind, 0.4 if kind in launch else 1.0)
    if is_kernel and kind != "graph" and random.random() < 0.3:
        own["gap_us"] = random.choice(COSTS_US)
    return {"kind": kind, "host_waits": random.random() < 0.5, **own}


def _megakernels(random: Random, runs: list[str], names: str, launch: Fields) -> list[Fields]:
    found, producers = [], {"B", "L"} & {*names}
    for run in runs:
        if random.random() < 0.6:
            loops = {"loops_on_device": random.random() < 0.6 if producers and producers <= {*run} else False}
            dispatch = _dispatch(random, random.choice(KINDS), launch, is_kernel=False)
            found.append(megakernel(*run, budgets=BUDGETS, dispatch=dispatch, **loops))
    return found


def _conventional(random: Random, names: str, launch: Fields) -> list[Fields]:
    found = []
    usual = random.choice(KINDS)
    for name in names:
        for variant in ("", "_v2")[: random.choice((0, 1, 1, 1, 2))]:
            kind = usual if random.random() < 0.7 else random.choice(KINDS)
            count = random.randint(1, 3)
            for order in range(count):
                own = random.choice(KINDS) if random.random() < 0.05 else kind
                dispatch = _dispatch(random, own, launch, is_kernel=True)
                more: Fields = {"implementation": f"i{variant}", "order": order, "kernels": random.choice((1, 1, 2, 3))}
                found.append(conventional(name, entry=f"{name}{variant}_{order}", dispatch=dispatch, **more))
    return found
