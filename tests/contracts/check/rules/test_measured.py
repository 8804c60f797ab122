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
