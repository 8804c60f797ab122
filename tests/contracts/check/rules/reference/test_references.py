"""Rules of what contracts and specs say of each other, in the turns that the accepted and rejected files do not show."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from tests.support.disk.rule_files import CONTRACT, DEVICE, KERNEL, SPEC, changed, check_study, codes_of

LOOP = changed(CONTRACT, ("members: [B]", "members: [B, L]\nloops_on_device: true"))


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ("[P, L]", "REF-02 P, L leave out B; members are contiguous groups of the spec: P, B, L"),
        ("[L, B]", "REF-02 L, B are not in the order of the spec; write B, L"),
    ],
)
def test_members_are_a_run_of_the_groups(tmp_path: Path, members: str, message: str) -> None:
    contract = changed(CONTRACT, ("members: [B]", f"members: {members}\nloops_on_device: false"))
    assert check_study(tmp_path, contract=contract) == [message]


def test_a_megakernel_cannot_loop_where_there_are_no_producers(tmp_path: Path) -> None:
    groups = "groups:\n  - {name: B, role: admission}\npublication: {group: B}\ncontracts: []\nrecords: []\n"
    spec = SPEC[: SPEC.index("groups:")] + groups
    (finding,) = check_study(tmp_path, spec, contract=CONTRACT + "loops_on_device: true\n")
    assert finding == "REF-05 loops on the device, but has no step to loop over: the spec has no producer; say false, or remove the key"


def test_a_contract_may_bring_the_costs_that_its_device_lacks(tmp_path: Path) -> None:
    graph = changed(LOOP, ("kind: stream, host_waits: false", "kind: graph, host_waits: false, host_us: 8, exposed_us: 2"))
    (finding,) = check_study(tmp_path, contract=graph)
    assert finding.startswith("REF-08 no gap_us for a launch of kind 'graph'; device 'gpu' has no launch.graph")
    assert check_study(tmp_path, contract=changed(graph, ("exposed_us: 2", "exposed_us: 2, gap_us: 1.3"))) == []


PARTIAL = changed(DEVICE, ("  stream: {host_us: 4, exposed_us: 2}", "  stream: {host_us: 4, exposed_us: 2}\n  cooperative: {host_us: 4}"))


def test_a_figure_of_a_launch_that_neither_device_nor_contract_states_is_a_finding(tmp_path: Path) -> None:
    cooperative = changed(LOOP, ("kind: stream", "kind: cooperative"))
    (finding,) = check_study(tmp_path, device=PARTIAL, contract=cooperative)
    place = "launch.cooperative of device 'gpu' has none"
    assert finding.startswith(f"REF-08 no exposed_us for a launch of kind 'cooperative'; {place}: add it there, or the figures here")
    assert (
        check_study(tmp_path, device=PARTIAL, contract=changed(cooperative, ("host_waits: false", "host_waits: false, exposed_us: 0")))
        == []
    )


def test_a_gap_that_a_profile_measured_needs_no_other_figure_of_a_launch(tmp_path: Path) -> None:
    changes = (
        ("backend: megakernel", "backend: conventional"),
        ("budgets_ctas: [132, 88]\n", ""),
        ("kind: stream, host_waits: false", "kind: cooperative, host_waits: false, gap_us: 1"),
    )
    assert check_study(tmp_path, device=PARTIAL, contract=changed(CONTRACT, *changes)) == []


def test_a_source_is_compared_only_where_it_lies(tmp_path: Path) -> None:
    contract = LOOP + f"source: {{file: kernels/loop.cu, sha256: {sha256(b'before').hexdigest()}}}\n"
    assert check_study(tmp_path, contract=contract) == []
    (tmp_path / "kernels").mkdir()
    source = tmp_path / "kernels" / "loop.cu"
    source.write_bytes(b"before")
    assert check_study(tmp_path, contract=contract) == []
    source.write_bytes(b"after")
    assert codes_of(check_study(tmp_path, contract=contract)) == ["REF-09"]


def kernel(entry: str, *lines: str) -> str:
    """Return a conventional contract of group B."""
    return changed(KERNEL, ("entry: norm", "\n".join((f"entry: {entry}", *lines))))


def test_the_only_kernel_of_a_group_needs_no_order(tmp_path: Path) -> None:
    assert check_study(tmp_path, norm=kernel("norm")) == []


def test_variants_of_a_group_are_numbered_apart(tmp_path: Path) -> None:
    fast, slow = kernel("fast", "implementation: fast"), kernel("slow", "implementation: slow")
    assert check_study(tmp_path, fast=fast, slow=slow) == []


def test_two_kernels_of_a_group_each_need_an_order(tmp_path: Path) -> None:
    findings = check_study(tmp_path, norm=kernel("norm", "order: 0"), gemm=kernel("gemm"))
    assert findings == ["REF-10 one of 2 kernels of group 'B' without an order; number them from 0"]


def test_orders_may_start_anywhere_but_leave_no_gap(tmp_path: Path) -> None:
    assert check_study(tmp_path, norm=kernel("norm", "order: 1"), gemm=kernel("gemm", "order: 2")) == []
    assert codes_of(check_study(tmp_path, norm=kernel("norm", "order: 1"), gemm=kernel("gemm", "order: 3"))) == ["REF-11"]
