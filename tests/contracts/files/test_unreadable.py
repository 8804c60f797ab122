"""What cannot be read at all: pipes, devices, links that lead nowhere, folders that cannot be listed. None hides anything else."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from megasolve.contracts import CheckFailed, CheckIncomplete, UnreadableFile, check_paths, check_spec, load_spec, load_study, read_document
from tests.support.disk.files import CONTRACT, RECORDS, SPEC, codes, write, write_study


def test_a_pipe_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(UnreadableFile, match="is a pipe, not a file"):
        read_document(tmp_path / "pipe.yaml")


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket.yaml")
        with pytest.raises(UnreadableFile, match="is a socket, not a file"):
            read_document("socket.yaml")


def test_a_device_file_of_the_system_is_refused() -> None:
    with pytest.raises(UnreadableFile, match="is a device, not a file"):
        read_document("/dev/zero")


def test_a_source_that_is_a_pipe_is_never_waited_for(tmp_path: Path) -> None:
    contract = CONTRACT + f"source: {{file: kernel.cu, sha256: '{'0' * 64}'}}\n"
    spec = write_study(tmp_path, contract=contract, records=RECORDS.replace("measured", "published"))
    os.mkfifo(tmp_path / "contracts" / "kernel.cu")
    assert load_spec(spec).spec.value.name == "small"


def test_a_link_to_itself_and_a_link_to_nothing_say_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    (tmp_path / "lost.yaml").symlink_to("nowhere.yaml")
    with pytest.raises(CheckIncomplete) as caught:
        check_paths([tmp_path / "loop.yaml", tmp_path / "lost.yaml"])
    reasons = [error.reason for error in caught.value.report.unreadable]
    assert reasons == ["is a link that leads back to itself", "is a link to a file that is not there"]


def test_records_that_are_a_link_to_itself_are_unreadable(tmp_path: Path) -> None:
    spec = write_study(tmp_path, spec=SPEC.replace("records.yaml", "loop.yaml"))
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    with pytest.raises(UnreadableFile, match=r"loop\.yaml: is a link that leads back to itself"):
        load_study(spec)


def test_records_that_are_a_folder_are_called_one(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    _, findings = load_study(write_study(tmp_path, spec=SPEC.replace("[records.yaml]", "[runs/, runs*]")))
    messages = [finding.message for finding in findings]
    assert messages == [
        f"'runs/' is a folder in {tmp_path}; write 'runs/*.yaml' for the files in it",
        f"'runs*' matches only folders in {tmp_path}; write 'runs*/*.yaml' for the files in them",
    ]


def test_every_unreadable_file_has_a_line_and_none_counts_as_checked(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    empty, good = write(tmp_path, "empty.yaml", ""), write(tmp_path, "good.yaml", CONTRACT)
    missing = str(tmp_path / "missing.yaml")
    with pytest.raises(CheckIncomplete) as caught:
        check_paths([missing, good, empty, tmp_path / "folder"])
    assert [line.partition(": ")[0] for line in str(caught.value).splitlines()] == [empty, str(tmp_path / "folder"), missing]
    assert caught.value.report.files_checked == 1


@pytest.fixture
def unlisted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a folder with a contract and, far below it, a folder whose path is too long for the system to list."""
    write(tmp_path, "top/good.yaml", CONTRACT)
    monkeypatch.chdir(tmp_path / "top")
    for _ in range(17):
        Path("d" * 250).mkdir()
        os.chdir("d" * 250)
    os.chdir(tmp_path)
    return str(tmp_path / "top")


def test_a_folder_that_cannot_be_listed_is_unreadable(unlisted: str) -> None:
    with pytest.raises(CheckIncomplete) as caught:
        check_paths([unlisted])
    (error,) = caught.value.report.unreadable
    assert error.path.startswith(unlisted)
    assert error.reason == "cannot be listed: File name too long"
    assert caught.value.report.files_checked == 1


def test_an_unusable_spec_does_not_hide_the_faults_of_the_files_that_it_names(tmp_path: Path) -> None:
    changed = {"contract": CONTRACT + "titel: x\n", "records": RECORDS.replace("12.5", "-1")}
    spec = write_study(tmp_path, spec=SPEC.replace("batches: [1]", "batches: [x]"), **changed)
    expected = ["SCH-01", "SCH-05", "SCH-03"]
    assert codes(check_paths([spec]).findings) == expected
    with pytest.raises(CheckFailed) as caught:
        load_spec(spec)
    assert codes(caught.value.findings) == expected


def test_an_unusable_spec_is_told_of_names_that_lead_nowhere(tmp_path: Path) -> None:
    text = SPEC.replace("batches: [1]", "batches: [x]").replace("[records.yaml]", "[3, absent.yaml]").replace("h100.yaml", "h1000.yaml")
    findings = check_paths([write_study(tmp_path, spec=text)]).findings
    assert codes(findings) == ["FIL-01", "SCH-03", "SCH-03", "FIL-02"]
    assert findings[-1].path == "$.records[1]"


def test_findings_come_with_the_unreadable_files_of_a_spec(tmp_path: Path) -> None:
    spec = write_study(tmp_path, contract=CONTRACT + "titel: x\n", records="")
    with pytest.raises(CheckIncomplete, match=r"records\.yaml: is empty") as caught:
        check_spec(spec)
    assert codes(caught.value.report.findings) == ["SCH-01"]
