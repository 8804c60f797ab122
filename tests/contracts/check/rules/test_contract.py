"""Rules of a contract alone, in the turns that its accepted and rejected files do not show."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.disk.rule_files import CONTRACT, changed, check_text, codes_of


@pytest.mark.parametrize("budgets", ["[132, 88, 80]", "[80, 88, 132]", "[132]"])
def test_budgets_are_sorted_either_way(tmp_path: Path, budgets: str) -> None:
    assert check_text(tmp_path, changed(CONTRACT, ("[132, 88]", budgets))) == []


def test_a_repeated_budget_is_unsorted(tmp_path: Path) -> None:
    (finding,) = check_text(tmp_path, changed(CONTRACT, ("[132, 88]", "[132, 132, 88]")))
    assert finding == "CON-05 132 after 132; budgets are sorted, each once: write [88, 132]"


def test_budgets_in_two_units_are_refused(tmp_path: Path) -> None:
    findings = check_text(tmp_path, changed(CONTRACT, ("[132, 88]", "[132, 88]\nbudgets_clusters: [66]")))
    assert findings == [
        "CON-03 budgets both in CTAs and in clusters; exactly one of the two: remove budgets_clusters if the kernel counts CTAs"
    ]


def test_an_empty_list_of_budgets_is_refused(tmp_path: Path) -> None:
    assert codes_of(check_text(tmp_path, changed(CONTRACT, ("[132, 88]", "[]")))) == ["CON-03"]


@pytest.mark.parametrize("path", ["/kernels/a.cu", "C:\\\\kernels\\\\a.cu", "\\\\\\\\server\\\\a.cu"])
def test_a_source_is_relative_on_every_system(tmp_path: Path, path: str) -> None:
    source = f'members: [B]\nsource: {{file: "{path}", sha256: {"a" * 64}}}'
    assert codes_of(check_text(tmp_path, changed(CONTRACT, ("members: [B]", source)))) == ["CON-11"]


def test_a_megakernel_has_nothing_ahead_to_be_launched_beside(tmp_path: Path) -> None:
    dispatch = "dispatch: {kind: graph, host_waits: false, dependent: true, gap_us: 0.15}"
    assert check_text(tmp_path, re.sub(r"dispatch: \{.*\}", dispatch, CONTRACT)) == [
        "CON-15 dependent launch of a megakernel; only conventional kernels of kind 'graph' have it: remove dependent"
    ]


def test_a_kernel_of_a_stream_is_no_dependent_node_of_a_graph(tmp_path: Path) -> None:
    accepted = (Path(__file__).parents[3] / "accept/CON-15-dependent-unclear.yaml").read_text()
    assert check_text(tmp_path, changed(accepted, ("kind: graph", "kind: stream"))) == [
        "CON-15 dependent launch of dispatch kind 'stream'; only conventional kernels of kind 'graph' have it: remove dependent"
    ]
