"""Rules of a second stream: the turns that the files of the rules do not show."""

from __future__ import annotations

from pathlib import Path

from megasolve.contracts import check_paths

RULES_FILES = Path(__file__).parents[4] / "fixtures/rules"
SPEC = """megasolve: spec/v1
name: example
device: {rules}/device.yaml
precision: bf16
batches: [1]
groups: [{{name: A, role: producer}}, {{name: E, role: producer}}, {{name: S, role: producer}}]
publication: {{group: S, step: 1}}
policies: [serial, streams]
streams: {{inside: {inside}}}
contracts: []
records: []
"""
FORK = "edges: [{from: A, to: E}, {from: A, to: S}]\n"


def said(folder: Path, inside: str, edges: str = "") -> list[str]:
    file = folder / "spec.yaml"
    file.write_text(SPEC.format(rules=RULES_FILES, inside=inside) + edges)
    found = check_paths([file], root="/").findings
    return [f"{one.rule.code} {one.path}: {one.message}" for one in found if one.rule.code.startswith("SPC")]


def test_streams_inside_of_a_role_need_no_consumer_but_two_groups_apart(tmp_path: Path) -> None:
    assert said(tmp_path, "true", FORK) == []
    (finding,) = said(tmp_path, "true")
    assert finding == (
        "SPC-20 $.streams.inside: of any two groups of one role one runs before the other, so nothing can fork; "
        "add edges that leave two apart, or say false"
    )


def test_without_them_streams_need_both_sides(tmp_path: Path) -> None:
    (finding,) = said(tmp_path, "false", FORK)
    assert finding.startswith("SPC-08 $.policies[1]: 'streams' without a consumer group")
