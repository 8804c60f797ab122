"""Random studies that are valid nearly always, so that the planner itself is run, and not only the door in front of it."""

from __future__ import annotations

from random import Random

import yaml

from tests.fuzz.drawn.trees import Tree
from tests.support.disk.files import DEVICE

Files = dict[str, Tree]
Fields = dict[str, Tree]

NAMES = ("P", "B", "L", "C", "prefill", "talker.main", "x_1", "Codec-2", "n" * 64)
BUDGETS = (132, 120, 100, 88, 80, 66, 52, 44, 32, 8, 1)
PEAK_BYTES_PER_US = 3_600_000
_DEVICE: Fields = yaml.safe_load(DEVICE)
CONTEXT = ("launch", "geometry", "storage", "synchronization", "build")


def random_model(random: Random) -> Files:
    """Return the files of a study: `spec.yaml`, `h100.yaml`, `contracts/*.yaml` and its records."""
    groups = _groups(random)
    spec = _spec(random, groups)
    contracts = [*_megakernels(random, groups), *_conventional(random, groups)]
    records: list[Tree] = [record for contract in contracts for record in _records(random, spec, contract)]
    device: Fields = {**_DEVICE, "launch": _launch_costs(random), "partition": {"unit_sms": 8, "minimum_sms": 8}}
    files: Files = {"spec.yaml": spec, "h100.yaml": device}
    files |= {f"contracts/{number}.yaml": contract for number, contract in enumerate(contracts)}
    kept = random.choice(("records.yaml", "records.jsonl"))
    return files | {kept: {"megasolve": "records/v1", "records": records}}


def _groups(random: Random) -> list[Fields]:
    # Covers grow threefold with each group, so large models are rare.
    large = random.random() < 0.03
    roles = ["admission"] * random.choice((0, 0, 1)) + ["producer"] * random.choice((1, 2, 3) if large else (1, 1, 2))
    roles += ["consumer"] * random.choice((0, 1, 2) if large else (0, 1, 1))
    names = random.sample(NAMES, len(roles[:5]))
    groups: list[Fields] = [{"name": name, "role": role} for name, role in zip(names, roles, strict=False)]
    for group in groups:
        if random.random() < 0.2:
            group["calls"] = random.choice((1, 2, 8, 1000))
        if random.random() < 0.1:
            group["shapes"] = {"tokens": random.choice((0, 1, 128))}
    return groups


def _spec(random: Random, groups: list[Fields]) -> Fields:
    roles = [str(group["role"]) for group in groups]
    spec: Fields = {"megasolve": "spec/v1", "name": "fuzzed", "device": "h100.yaml", "precision": "bf16"}
    spec |= {"batches": _batches(random), "groups": list(groups), "contracts": ["contracts/*.yaml"], "records": ["records.*"]}
    if "consumer" in roles:
        spec["stream"] = _stream(random)
        if random.random() < 0.8:
            spec["budget_pairs"] = _pairs(random)
        else:
            spec["policies"] = ["serial"]
    else:
        waited = random.choice([group for group in groups if group["role"] != "consumer"])
        step: Fields = {"step": random.choice((1, 1, 3, 50))} if waited["role"] == "producer" else {}
        spec |= {"publication": {"group": waited["name"], **step}, "policies": ["serial"]}
    if random.random() < 0.3:
        spec["objective"] = "producer_step"
    if random.random() < 0.2 and "consumer" in roles and isinstance(stream := spec["stream"], dict) and "next_chunk" in stream:
        spec["objective"] = "chunk_interval"
    return spec


def _batches(random: Random) -> list[Tree]:
    return [1] if random.random() < 0.8 else [1, random.choice((2, 7, 64))]


def _pairs(random: Random) -> list[Tree]:
    chosen = random.sample(((88, 44), (80, 52), (66, 66), (100, 32), (120, 8), (44, 88)), random.choice((1, 1, 2)))
    return [{"producer_ctas": x, "consumer_ctas": y} for x, y in chosen]


def _stream(random: Random) -> Fields:
    stream: Fields = {"first_chunk": random.choice((1, 1, 2, 4, 40))}
    options: Fields = {
        "delay": random.choice((0, 1, 5)),
        "lookahead": random.choice((0, 1, 3)),
        "right_context": random.choice((0, 1)),
        "next_chunk": random.choice((1, 4, 25)),
        "interleave": {"steps": random.choice((1, 2, 3)), "frames": random.choice((1, 2))},
        "frame_us": random.choice((80000, 12500.5)),
    }
    stream |= {key: value for key, value in options.items() if random.random() < 0.5}
    if "frame_us" in stream:
        stream.setdefault("next_chunk", 4)
    return stream


def _launch_costs(random: Random) -> Fields:
    costs: Fields = {kind: {"host_us": _cost(random), "exposed_us": _cost(random)} for kind in ("stream", "cooperative")}
    costs["graph"] = {"host_us": _cost(random), "exposed_us": _cost(random), "gap_us": _cost(random)}
    return costs if random.random() < 0.97 else {}


def _cost(random: Random) -> float | int:
    return random.choice((0, 0, 1, 2.5, 45, 100, 0.000001, 1234.567891))


def _dispatch(random: Random, *, persistent: bool) -> Fields:
    kind = random.choice(("stream", "graph", "cooperative") if persistent else ("stream", "graph", "graph"))
    dispatch: Fields = {"kind": kind, "host_waits": random.random() < 0.5}
    dispatch |= {key: _cost(random) for key in ("host_us", "exposed_us") if random.random() < 0.7}
    if kind == "graph" and random.random() < 0.7:
        dispatch["gap_us"] = _cost(random)
    return dispatch


def _megakernels(random: Random, groups: list[Fields]) -> list[Fields]:
    runs = [groups[first:last] for first in range(len(groups)) for last in range(first + 1, len(groups) + 1)]
    producers = [group["name"] for group in groups if group["role"] == "producer"]
    made = []
    for number, run in enumerate(runs):
        for variant in range(random.choice((0, 1, 1, 1, 1, 1, 1, 2))):
            members: list[Tree] = [group["name"] for group in run]
            contract = _megakernel(random, f"m{number}_{variant}", members)
            if {*map(str, producers)} <= {*map(str, members)}:
                contract["loops_on_device"] = random.random() < 0.8
            made.append(contract)
    return made


def _megakernel(random: Random, entry: str, members: list[Tree]) -> Fields:
    launch: Fields = {
        "threads": random.choice((128, 256, 512)),
        "registers": random.choice((64, 128)),
        "cooperative": random.random() < 0.7,
    }
    launch["shared_bytes"] = random.choice((16384, 122880, 200000))
    if random.random() < 0.2:
        launch |= {"ctas_per_sm": 2, "threads": 256, "registers": 64, "shared_bytes": 65536}
    budgets: list[Tree] = [*sorted({132, *random.sample(BUDGETS, random.randint(1, 8))}, reverse=True)]
    contract: Fields = {"megasolve": "contract/v1", "entry": entry, "backend": "megakernel", "members": members}
    contract |= {"budgets_ctas": budgets, "launch": launch, "dispatch": _dispatch(random, persistent=True)}
    if random.random() < 0.2:
        contract["synchronization"] = {"kind": "counters", "cost_us": 0.5}
    if random.random() < 0.2:
        contract["policies"] = random.sample(["serial", "fixed", "dynamic"], random.randint(1, 3))
    if random.random() < 0.05:
        contract["programs"] = {str(member): _program(random) for member in members}
    return contract


def _conventional(random: Random, groups: list[Fields]) -> list[Fields]:
    made = []
    for number, group in enumerate(groups):
        for variant in range(random.choice((0, 1, 1, 1, 1, 1, 1, 2))):
            count = random.choice((1, 1, 1, 2))
            for order in range(count):
                contract: Fields = {"megasolve": "contract/v1", "entry": f"c{number}_{variant}_{order}", "backend": "conventional"}
                contract |= {"members": [group["name"]], "launch": {}, "dispatch": _dispatch(random, persistent=False)}
                contract |= {"implementation": f"v{variant}", "order": order}
                if random.random() < 0.3:
                    contract["kernels"] = random.choice((1, 2, 30))
                if random.random() < 0.05:
                    contract |= {"programs": {str(group["name"]): _program(random)}, "launch": {"threads": 256, "registers": 64}}
                made.append(contract)
    return made


def _program(random: Random) -> list[Tree]:
    operators: list[Tree] = []
    for number in range(random.randint(1, 3)):
        one: Fields = {"name": f"o{number}", "kind": "explicit", "tiles": random.choice((1, 3, "4 * batch")), "compute_us": _cost(random)}
        one |= {key: random.choice((0, 256, 4096)) for key in ("weight_bytes", "activation_bytes", "output_bytes")}
        if number and random.random() < 0.8:
            one["after"] = [{"operator": f"o{random.randrange(number)}", "pattern": "all"}]
        operators.append(one)
    if random.random() < 0.3:
        operators.append({"name": "matmul", "kind": "matmul", "shape": {"m": "batch", "n": 256, "k": 64}, "tile": [{"m": 16, "n": 64}]})
    block: Fields = {"operators": operators}
    return [block | ({"repeat": random.choice((1, 2, 9))} if random.random() < 0.5 else {})]


def _records(random: Random, spec: Fields, contract: Fields) -> list[Fields]:
    groups = spec["groups"]
    assert isinstance(groups, list)
    shapes = {str(group["name"]): group.get("shapes") for group in groups if isinstance(group, dict)}
    budgets, members, batches = contract.get("budgets_ctas", [132]), contract["members"], spec["batches"]
    assert isinstance(budgets, list)
    assert isinstance(members, list)
    assert isinstance(batches, list)
    keys: list[Fields] = [
        {"group": member, "budget_ctas": budget, "batch": batch} for member in members for budget in budgets for batch in batches
    ]
    return [_record(random, contract, key, shapes[str(key["group"])]) for key in keys if random.random() < 0.95]


def _record(random: Random, contract: Fields, key: Fields, shapes: Tree) -> Fields:
    duration_us = _duration_us(random)
    record: Fields = {**key, "backend": contract["backend"], "entries": [contract["entry"]], "precision": "bf16", "device": "h100"}
    record["context"] = {part: contract[part] for part in CONTEXT if part in contract}
    record |= {"shapes": shapes} if shapes else {}
    record |= {"samples_us": [duration_us, duration_us * 2, duration_us]} if random.random() < 0.1 else {"duration_us": duration_us}
    if random.random() < 0.9:
        record["hbm_bytes"] = int(random.choice((0, 0.3, 0.7, 0.99)) * duration_us * PEAK_BYTES_PER_US)
    if random.random() < 0.2:
        record["accuracy"] = random.choice((0, 0.01, 0.5))
    return record | {"provenance": {"kind": "profiled", "source": "invented"}}


def _duration_us(random: Random) -> float | int:
    if random.random() < 0.5:
        return random.randint(1, 9)
    return round(10 ** random.uniform(-3, 5), random.randint(0, 6)) or 1
