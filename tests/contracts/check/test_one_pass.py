"""One pass says everything: a fault in one field hides nothing that can be judged without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from megasolve.contracts import Finding, check_paths
from tests.support.disk.files import DEVICE, write

SPEC = """\
megasolve: spec/v1
name: five_files
device: h100.yaml
precision: bf16
batches: [1, 4]
groups:
  - {name: P, role: admission}
  - {name: B, role: producer}
  - {name: C, role: consumer}
edges:
  - {from: P, to: B}
  - {from: B, to: C}
stream: {delay: 0, first_chunk: 2}
budget_pairs:
  - {producer_ctas: 88, consumer_ctas: 44}
contracts: [contracts/*.yaml]
records: [records.yaml]
"""

PRODUCER = """\
megasolve: contract/v1
entry: PB
backend: megakernel
members: [P, B]
budgets_ctas: [132, 88]
launch:
  threads: 512
  registers: 128
  shared_bytes: 1024
dispatch: {kind: graph, host_waits: false, host_us: 1, exposed_us: 0, gap_us: 0}
loops_on_device: true
policies: [serial, dynamic]
storage: {on_chip: [hidden]}
"""

CONSUMER = """\
megasolve: contract/v1
entry: C
backend: megakernel
members: [C]
budgets_ctas: [132, 44]
launch:
  threads: 256
  registers: 128
  shared_bytes: 2048
dispatch: {kind: graph, host_waits: false, host_us: 1, exposed_us: 0, gap_us: 0}
synchronization: {kind: grid_barrier, cost_us: 1}
"""


MEASURED = '    provenance: {kind: measured, source: a run, tool: a timer, date: "2026-10-19"}'


def _record(group: str, entry: str, threads: int, shared_bytes: int, batch: int) -> str:
    return f"""\
  - group: {group}
    backend: megakernel
    entries: [{entry}]
    budget_ctas: 132
    batch: {batch}
    precision: bf16
    device: h100
    context: {{launch: {{threads: {threads}, registers: 128, shared_bytes: {shared_bytes}}}, storage: {{on_chip: [hidden]}}}}
    duration_us: 12.5
{MEASURED}
"""


RECORDS = "megasolve: records/v1\nrecords:\n" + "".join(
    _record(*of, batch) for of in (("P", "PB", 512, 1024), ("B", "PB", 512, 1024)) for batch in (1, 4)
)

FILES = {
    "five_files.yaml": SPEC,
    "h100.yaml": DEVICE,
    "contracts/pb.yaml": PRODUCER,
    "contracts/c.yaml": CONSUMER,
    "records.yaml": RECORDS,
}


@dataclass(frozen=True, slots=True)
class Slip:
    """A line of a file that somebody got wrong, the *number*-th (from 1) that reads so, and the rule that it breaks."""

    file: str
    line: str
    wrong: str
    rule: str
    number: int = 1


SLIPS = (
    # In the text, and in what its keys allow.
    Slip("five_files.yaml", "stream: {delay: 0, first_chunk: 2}", "stream: {dealy: 0, first_chunk: 2}", "SCH-01"),
    Slip("h100.yaml", "sms: 132", "sms: '132'", "SCH-03"),
    Slip("contracts/pb.yaml", "  threads: 512", "  threads: many", "SCH-03"),
    Slip("contracts/c.yaml", "synchronization: {kind: grid_barrier, cost_us: 1}", "synchronization: {kind: grid, cost_us: 1}", "SCH-04"),
    Slip("contracts/c.yaml", "  registers: 128", "  registers: 128\n  registers: 255", "YML-02"),
    Slip("records.yaml", "    duration_us: 12.5", "    duration_us: 12.5 us", "SCH-05"),
    Slip("records.yaml", "    duration_us: 12.5", "    duration_ms: 12.5", "SCH-01", number=2),
    # In one file.
    Slip("five_files.yaml", "batches: [1, 4]", "batches: [1, 4, 1]", "SPC-04"),
    Slip("five_files.yaml", "  - {from: B, to: C}", "  - {from: B, to: codec}", "GRP-01"),
    Slip("h100.yaml", "hbm_sustained_bytes_per_s: 3600000000000", "hbm_sustained_bytes_per_s: 4000000000000", "DEV-03"),
    Slip("contracts/pb.yaml", "policies: [serial, dynamic]", "policies: [serial, dynamic, serial]", "CON-09"),
    Slip("contracts/c.yaml", "budgets_ctas: [132, 44]", "budgets_ctas: [44, 132, 88]", "CON-05"),
    Slip("records.yaml", MEASURED, "    provenance: {kind: measured, source: a run}", "REC-04"),
    # Files that are none of those that are meant.
    Slip("five_files.yaml", "records: [records.yaml]", "records: [records.yaml, contracts/c.yaml]", "FIL-03"),
    # On the device.
    Slip("contracts/c.yaml", "  shared_bytes: 2048", "  shared_bytes: 262144", "LIM-10"),
    # Between files.
    Slip("contracts/pb.yaml", "members: [P, B]", "members: [P, B, D]", "REF-01"),
    Slip("five_files.yaml", "  - {producer_ctas: 88, consumer_ctas: 44}", "  - {producer_ctas: 80, consumer_ctas: 44}", "REF-06"),
    Slip("records.yaml", "  - group: B", "  - group: Q", "REC-10"),
    Slip("records.yaml", "    batch: 4", "    batch: 5", "REC-15", number=2),
    Slip("records.yaml", "    precision: bf16", "    precision: fp8", "REC-16", number=4),
    Slip("records.yaml", "    budget_ctas: 132", "    budget_ctas: 131", "REC-14", number=4),
)


def written(folder: Path, slips: tuple[Slip, ...]) -> str:
    """Write the five files with *slips* and return the path of the spec."""
    for name, text in FILES.items():
        lines = text.splitlines()
        for slip in (one for one in slips if one.file == name):
            places = [place for place, line in enumerate(text.splitlines()) if line == slip.line]
            lines[places[slip.number - 1]] = slip.wrong
        write(folder, name, "".join(f"{line}\n" for line in lines))
    return str(folder / "five_files.yaml")


def rounds(folder: Path) -> Iterator[tuple[Finding, ...]]:
    """Yield what each check finds, until nothing is left: whoever reads it mends all that it names."""
    left: tuple[Slip, ...] = SLIPS
    while findings := check_paths([written(folder, left)]).findings:
        yield findings
        named = {(Path(one.place.file).name, one.rule.code) for one in findings}
        assert any((Path(slip.file).name, slip.rule) in named for slip in left), findings
        left = tuple(slip for slip in left if (Path(slip.file).name, slip.rule) not in named)


def test_five_files_with_twenty_one_faults_take_one_round(tmp_path: Path) -> None:
    (findings,) = rounds(tmp_path)
    told = sorted((Path(one.place.file).name, one.rule.code) for one in findings)
    assert told == sorted((Path(slip.file).name, slip.rule) for slip in SLIPS)


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.rule)
def test_a_fault_among_others_is_told_as_it_is_alone(tmp_path: Path, slip: Slip) -> None:
    def paths(slips: tuple[Slip, ...]) -> set[str]:
        return {one.path for one in check_paths([written(tmp_path, slips)]).findings if one.rule.code == slip.rule}

    assert paths((slip,)) <= paths(SLIPS)


LISTS = {
    "five_files.yaml": SPEC.replace("batches: [1, 4]", "batches: [1, x, 4, 1, 2.5, 4]")
    .replace(
        "  - {from: P, to: B}",
        "  - {from: P, to: 7}\n  - {from: Q, to: B, distance: x}\n  - {from: P, to: B}\n  - {from: R, to: B, kind: y}",
    )
    .replace("edges:", "edges:\n  - {from: B, to: Codec}\n  - {from: P, to: B}")
    .replace("budget_pairs:", "budget_pairs:\n  - {producer_ctas: many, consumer_ctas: 44}\n  - {producer_ctas: 80, consumer_ctas: 44}"),
    "contracts/pb.yaml": PRODUCER.replace("members: [P, B]", "members: [P, 5, B, D, P]").replace(
        "[132, 88]", "[132, {from: 9, to: 3}, x, 88]"
    )
    + """\
programs:
  P:
    - operators:
        - {name: a, kind: matmul, shape: {m: batch, n: 8, k: 8, q: 1}, tile: [{m: 1, n: 8}], colour: red}
        - {name: b, kind: matmul, shape: {m: batch, n: 8, r: 8}, tile: [{m: 1, n: 8}], colour: red, after: [{operator: z}]}
    - operators:
        - {name: c, kind: matmul, shape: {m: batch, n: 8, k: 8}, tile: [{m: 1, n: 8}], colour: red}
        - {name: d, kind: matmul, shape: {m: batch, n: 8, s: 8}, tile: [{m: 1, n: 8}], after: [{operator: 5}, {operator: y}]}
""",
}
IN_LISTS = {
    *(("SCH-03", f"$.batches[{at}]") for at in (1, 4)),
    *(("SPC-04", f"$.batches[{at}]") for at in (3, 5)),
    ("GRP-01", "$.edges[0].to"),
    ("SCH-03", "$.edges[2].to"),
    ("GRP-01", "$.edges[3].from"),
    ("SCH-03", "$.edges[3].distance"),
    ("GRP-03", "$.edges[4]"),
    ("GRP-01", "$.edges[5].from"),
    ("SCH-04", "$.edges[5].kind"),
    ("SCH-03", "$.budget_pairs[0].producer_ctas"),
    ("SCH-03", "$.members[1]"),
    ("REF-01", "$.members[3]"),
    ("CON-01", "$.members[4]"),
    ("CON-14", "$.budgets_ctas[1]"),
    ("SCH-03", "$.budgets_ctas[2]"),
    *(("SCH-01", f"$.programs.P[0].operators[{at}].colour") for at in (0, 1)),
    ("OPR-04", "$.programs.P[0].operators[0].shape.q"),
    ("OPR-04", "$.programs.P[0].operators[1].shape.r"),
    ("OPR-07", "$.programs.P[0].operators[1].after[0].operator"),
    ("SCH-01", "$.programs.P[1].operators[0].colour"),
    ("OPR-24", "$.programs.P[1].operators[0]"),
    ("OPR-04", "$.programs.P[1].operators[1].shape.s"),
    ("SCH-03", "$.programs.P[1].operators[1].after[0].operator"),
    ("OPR-07", "$.programs.P[1].operators[1].after[1].operator"),
}


def test_an_entry_that_cannot_be_judged_hides_no_other_of_its_list(tmp_path: Path) -> None:
    for name, text in {**FILES, **LISTS}.items():
        write(tmp_path, name, text)
    found = [(one.rule.code, one.path) for one in check_paths([tmp_path / "five_files.yaml"]).findings]
    assert sorted(found) == sorted(IN_LISTS)
