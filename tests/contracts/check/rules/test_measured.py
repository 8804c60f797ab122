"""Rules of measured files: the turns that the files of the rules do not show."""

from __future__ import annotations

from pathlib import Path

import pytest

from megasolve.contracts import check_paths

HEAD = """megasolve: measured/v1
runs:
  - session: evening
    batch: 1
    precision: bf16
    device: example_gpu
    qualified: true
    composition:
      candidate: "m:P/m:B@serial"
      entries: [[prefill], [decode]]
"""
MEASURED = "    provenance: {kind: measured, source: an example, tool: cuda events, date: 2026-11-04}\n"
PUBLISHED = "    provenance: {kind: published, source: a paper}\n"


def said(folder: Path, times: str, provenance: str = MEASURED) -> list[str]:
    file = folder / "measured.yaml"
    file.write_text(HEAD + "".join(f"      {line}\n" for line in times.splitlines()) + provenance)
    return [f"{one.rule.code} {one.path}: {one.message}" for one in check_paths([file]).findings]


@pytest.mark.parametrize(
    "times",
    [
        "samples_us: [1, 2]\nplaces: [1, 2]",
        "blocks_us: [[1, 2], [3], []]",
        "samples_us: [1, 2]\nblocks_us: [[1, 1], [2]]",
        "blocks_us: [[1, 2], [3]]\ngroups: [{group: P, samples_us: [1, 1]}, {group: B, blocks_us: [[1, 1], [1]]}]",
    ],
)
def test_a_composition_has_samples_or_blocks_and_its_groups_the_same_blocks(tmp_path: Path, times: str) -> None:
    assert said(tmp_path, times) == []


def test_lists_that_are_not_of_the_same_blocks_are_findings(tmp_path: Path) -> None:
    times = "samples_us: [1, 2]\nblocks_us: [[1, 2]]\ngroups: [{group: P, samples_us: [1, 1]}]"
    assert said(tmp_path, times) == [
        "MEA-02 $.runs[0].composition.blocks_us: 1 block beside 2 samples; samples_us has one from each block, or leave it out",
        "MEA-02 $.runs[0].composition.groups[0]: 2 blocks of group P beside 1 of the whole; give the times of the same blocks",
    ]


def test_blocks_without_any_time_are_none(tmp_path: Path) -> None:
    (finding,) = said(tmp_path, "blocks_us: [[], []]")
    assert finding == "MEA-02 $.runs[0].composition.blocks_us: qualified, but blocks_us is empty; give the times, or remove the run"


def test_what_others_published_may_judge_with_its_source_alone(tmp_path: Path) -> None:
    assert said(tmp_path, "blocks_us: [[1]]", PUBLISHED) == []
    (finding,) = said(tmp_path, "blocks_us: [[1]]", PUBLISHED.replace("published", "reconstructed"))
    assert finding.startswith("MEA-05")


SIDES = """    co_run:
      producer: {groups: [B], backend: megakernel, entries: [decode], ctas: 3, solo_us: [30], pair_us: [36]}
      consumer: {groups: [C], backend: conventional, entries: [codec], solo_us: [20], pair_us: [25]}
"""
SPEC = """megasolve: spec/v1
name: example
device: {rules}/device.yaml
precision: bf16
batches: [1]
groups: [{{name: B, role: producer}}, {{name: C, role: consumer}}]
stream: {{first_chunk: 1}}
contracts: [{rules}/decode.yaml]
records: [{rules}/decode_records.yaml]
measured: [measured.yaml]
"""
RULES_FILES = Path(__file__).parents[3] / "fixtures/rules"


def co_run_said(folder: Path, sides: str) -> list[str]:
    """What is said of a co-run beside a spec that has the entry 'decode' of group B alone."""
    head, _, _ = HEAD.partition("    composition:")
    (folder / "measured.yaml").write_text(head + sides + MEASURED)
    (folder / "spec.yaml").write_text(SPEC.format(rules=RULES_FILES))
    found = check_paths([folder / "spec.yaml"], root="/").findings
    return [f"{one.rule.code} {one.path}: {one.message}" for one in found if one.rule.code.startswith("MEA")]


def test_a_pair_that_another_tool_timed_needs_no_count_of_ctas_that_met(tmp_path: Path) -> None:
    assert co_run_said(tmp_path, SIDES) == [
        "MEA-07 $.runs[0].co_run.consumer.entries[0]: no contract of this spec declares entry 'codec'; did you mean 'decode'?"
    ]


def test_a_count_of_ctas_that_met_is_one_of_how_many_should(tmp_path: Path) -> None:
    (_, finding) = sorted(co_run_said(tmp_path, f"{SIDES}      met_ctas: 3\n"), reverse=True)
    assert finding == (
        "MEA-04 $.runs[0].co_run: met_ctas without wanted_ctas; how many met is said of how many should; such a run did not qualify"
    )


def test_sides_of_other_roles_groups_and_backends_are_findings(tmp_path: Path) -> None:
    swapped = SIDES.replace("[C], backend: conventional, entries: [codec]", "[B, X], backend: conventional, entries: [decode]")
    assert co_run_said(tmp_path, swapped) == [
        "MEA-07 $.runs[0].co_run.consumer.groups[0]: 'B' is no consumer but producer; the groups of this side: C",
        "MEA-07 $.runs[0].co_run.consumer.groups[1]: 'X' is no group of spec 'example'; known: B, C",
        "MEA-07 $.runs[0].co_run.consumer.entries: none of decode runs X; name the entries of all groups",
        "MEA-07 $.runs[0].co_run.consumer.entries[0]: 'decode' is a megakernel entry, the side says conventional; correct one of the two",
    ]
