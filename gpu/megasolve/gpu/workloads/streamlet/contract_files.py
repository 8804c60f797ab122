"""The contract files of streamlet, written from its programs and its resource table by `python -m megasolve.gpu.workloads.streamlet`.

There is a megakernel for each contiguous run of groups, two of them also with other thread counts, and for the conventional
backend one contract for each operator of a group, which stands for its kernels in all layers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from megasolve.contracts import Json, JsonObject, Spec, load_study, read_document

from ...compile.build import register_limit
from ...compile.manifest import MANIFEST
from ...compile.resource_table import TABLE
from ..named import STREAMLET
from .programs import WrittenBlock, WrittenOperator, streamlet_programs
from .registers import COMPILER, COMPUTE_CAPABILITY, registers_by_entry

GROUPS = ("P", "B", "L", "C")
_TITLES = {"P": "prefill", "B": "decode step", "L": "head", "C": "codec"}
_THREADS = {("P", "B", "L", "C"): (256, 128, 512), ("B", "L"): (256, 128, 512)}
_USUAL_THREADS = 256
# More than half of an SM's shared memory keeps a second CTA away. A tile holds all of it: these kernels load no weights ahead.
_MEGAKERNEL_BYTES = 122880
# What the neediest operator takes, and what a tile of any operator may store.
_KERNEL_BYTES, _KERNEL_STAGING_BYTES = 49152, 16384
_WIDEST = 140
_HEAD = "# Written by `python -m megasolve.gpu.workloads.streamlet`; the README of streamlet says where its figures are from.\n"


def contract_files(layers: int, registers: Mapping[str, int]) -> Mapping[str, str]:
    """Return the text of every contract of streamlet with that many *layers*, by the path of its file in the folder of contracts.

    *registers* are those of each entry that was compiled.
    """
    programs = streamlet_programs()
    widths = [(members, threads) for members in _runs() for threads in _THREADS.get(members, (_USUAL_THREADS,))]
    files = dict(_megakernel(members, threads, programs, registers) for members, threads in widths)
    for group, program in programs.items():
        operators = [(operator, block.get("repeat")) for block in program for operator in block["operators"]]
        files |= dict(_kernel(group, order, *kernel, layers=layers, registers=registers) for order, kernel in enumerate(operators))
    return files


def write(spec_file: Path) -> None:
    """Write the contracts of the spec in *spec_file* into the folder beside it, with the registers of the table there.

    Raises
    ------
    SystemExit
        The file is no spec of streamlet.
    """
    document, _ = read_document(spec_file)
    if document is None or not isinstance(document.value, Spec) or "layers" not in document.value.symbols:
        raise SystemExit(f"{spec_file} is no spec with the symbol 'layers'")
    folder = spec_file.with_suffix("")
    registers = registers_by_entry(folder / TABLE, _compute_capability(spec_file))
    for path, text in contract_files(document.value.symbols["layers"], registers).items():
        target = folder / "contracts" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def _compute_capability(spec_file: Path) -> str:
    """Return that of the spec's device; what is wrong with other files of the spec is written anew, or told by `check`."""
    study, _ = load_study(spec_file)
    return COMPUTE_CAPABILITY if study is None else study.device.value.compute_capability


def _runs() -> Iterator[tuple[str, ...]]:
    for first in range(len(GROUPS)):
        yield from (GROUPS[first:end] for end in range(first + 1, len(GROUPS) + 1))


def _megakernel(
    members: Sequence[str], threads: int, programs: Mapping[str, Sequence[WrittenBlock]], registers: Mapping[str, int]
) -> tuple[str, str]:
    entry = "_".join(members) + ("" if threads == _USUAL_THREADS else f"_{threads}")
    launch = {"threads": threads, **_registers(entry, registers), "ctas_per_sm": 1, "cooperative": True}
    declared: JsonObject = {
        "megasolve": "contract/v1",
        "entry": entry,
        "backend": "megakernel",
        "members": list(members),
        "title": f"{', '.join(_TITLES[member] for member in members)} in one persistent kernel of {threads} threads",
        "launch": {**launch, "shared_bytes": _MEGAKERNEL_BYTES},
        # All SMs of the H100 NVL, and the splits 88/44 and 80/52 that the paper measures (sections IV.E and VI.B).
        "budgets_ctas": [132, 88, 80, 52, 44],
        # Only an entry that holds the whole step can go on to the next one without the host.
        **({"loops_on_device": True} if {"B", "L"} <= set(members) else {}),
        "dispatch": {"kind": "cooperative", "host_waits": True, "host_us": 5, "exposed_us": 5},
        "synchronization": {"kind": "counters", "cost_us": 1.1},
        "build": {"compiler": COMPILER, "register_limit": register_limit(threads)},
        "source": _source(f"../{MANIFEST}", f"ms_{entry}"),
        "workload": STREAMLET,
    }
    text = "".join(_program(member, programs[member], _MEGAKERNEL_BYTES) for member in members)
    return f"{entry}.yaml", _HEAD + _lines(declared) + "programs:\n" + text


def _kernel(
    group: str, order: int, operator: WrittenOperator, repeat: str | None, *, layers: int, registers: Mapping[str, int]
) -> tuple[str, str]:
    entry = f"{group}_{operator['name']}"
    # A contract of one kernel has nothing to wait for: launches follow each other.
    alone = {key: value for key, value in operator.items() if key != "after"}
    declared: JsonObject = {
        "megasolve": "contract/v1",
        "entry": entry,
        "backend": "conventional",
        "members": [group],
        "title": f"{operator['name']} of the {_TITLES[group]}, one kernel{'' if repeat is None else ' in each layer'}",
        "implementation": "kernels",
        "order": order,
        **({} if repeat is None else {"kernels": layers}),
        "launch": {"threads": _USUAL_THREADS, **_registers(entry, registers), "shared_bytes": _KERNEL_BYTES},
        "dispatch": {"kind": "graph", "host_waits": True, "host_us": 5, "exposed_us": 5, "gap_us": 1.3},
        "build": {"compiler": COMPILER, "register_limit": register_limit(_USUAL_THREADS)},
        "source": _source(f"../../{MANIFEST}", f"k_{operator['kind']}"),
        "workload": STREAMLET,
        # Which of the two runs depends on the rows (`FEW_ROWS`), and so on the batch.
        **({"observed": {"kernels": ["k_matmul", "k_matvec"]}} if operator["kind"] == "matmul" else {}),
    }
    block: WrittenBlock = {"operators": [alone]} if repeat is None else {"operators": [alone], "repeat": repeat}
    return f"kernels/{entry}.yaml", _HEAD + _lines(declared) + "programs:\n" + _program(group, [block], _KERNEL_STAGING_BYTES)


def _registers(entry: str, registers: Mapping[str, int]) -> JsonObject:
    return {"registers": registers[entry]} if entry in registers else {"unverified": "not compiled yet"}


def _source(manifest: str, symbol: str) -> JsonObject:
    return {"file": manifest, "symbol": symbol}


def _lines(declared: JsonObject) -> str:
    return "".join(f"{key}: {_flow(value)}\n" for key, value in declared.items())


def _program(group: str, blocks: Sequence[WrittenBlock], staging_bytes: int) -> str:
    lines = [f"  {group}:\n"]
    for block in blocks:
        repeat = f"repeat: {block['repeat']}\n      " if "repeat" in block else ""
        lines.append(f"    - {repeat}operators:\n")
        lines.extend(_operator({**operator, "staging_bytes": staging_bytes}) for operator in block["operators"])
    return "".join(lines)


def _operator(operator: WrittenOperator) -> str:
    line = f"        - {_flow(operator)}\n"
    if len(line) <= _WIDEST:
        return line
    return "        - " + "          ".join(f"{key}: {_flow(value)}\n" for key, value in operator.items())


def _flow(value: Json) -> str:
    match value:
        # Before the rest, as YAML writes them in small letters.
        case bool():
            return str(value).lower()
        case dict():
            return "{" + ", ".join(f"{key}: {_flow(part)}" for key, part in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_flow, value)) + "]"
    return str(value)
