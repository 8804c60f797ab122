"""Reading measured files: every format gives the same runs, and every fault has its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from megasolve.contracts import CheckFailed, UnreadableFile
from megasolve.contracts.runs.columns import columns_of
from megasolve.contracts.runs.printed_table import is_printed
from megasolve.contracts.runs.reading import read_runs
from megasolve.contracts.runs.timed_run import TimedRuns

ID = "m:P/m:B@serial"
HEAD = "candidate,batch,block,run,time_us"
RUN: dict[str, Any] = {
    "session": "an evening",
    "batch": 4,
    "precision": "bf16",
    "device": "gpu",
    "qualified": True,
    "provenance": {"kind": "measured", "source": "a bench", "tool": "cuda events", "date": "2026-11-04"},
}


def read(folder: Path, text: str, *columns: str, name: str = "runs.csv") -> TimedRuns:
    (folder / name).write_text(text, encoding="utf-8")
    return read_runs([str(folder / name)], columns_of(columns))


def said(timed: TimedRuns) -> list[str]:
    return [str(fault).removeprefix(str(Path(fault.place.file).parent))[1:] for fault in timed.faults]


def facts(timed: TimedRuns) -> list[tuple[object, ...]]:
    return [(run.candidate, run.batch, run.block, run.run, run.time_ps, run.group) for run in timed.runs]


def test_csv_lines_of_json_a_list_and_renamed_columns_are_the_same_runs(tmp_path: Path) -> None:
    rows = [
        {"candidate": ID, "batch": 4, "block": "a", "run": 1, "time_us": 12.5},
        {"candidate": ID, "batch": 4, "block": "b", "run": 1, "time_us": 13},
    ]
    csv = read(tmp_path, f"{HEAD}\n{ID},4,a,1,12.5\n{ID},4,b,1,13\n")
    assert facts(csv) == [(ID, 4, "a", "1", 12_500_000, None), (ID, 4, "b", "1", 13_000_000, None)]
    lines = read(tmp_path, "".join(f"{json.dumps(row)}\n" for row in rows), name="runs.jsonl")
    whole = read(tmp_path, json.dumps(rows, indent=1), name="runs.json")
    other = read(
        tmp_path,
        f"process;tag;concurrency;no;ttft_ms\na;{ID};4;1;0.0125\nb;{ID};4;1;0.013\n",
        *("block=process", "candidate=tag", "batch=concurrency", "run=no", "time_us=ttft_ms:ms"),
    )
    assert facts(lines) == facts(whole) == facts(other) == facts(csv)
    assert [run.place.line for run in csv.runs] == [2, 3]
    assert [run.place.line for run in lines.runs] == [1, 2]
    assert [run.place.line for run in whole.runs] == [2, 9]


def test_what_a_serving_benchmark_prints_is_a_run_for_each_request(tmp_path: Path) -> None:
    result = {"tag": ID, "max_concurrency": 4, "ttfts": [0.25, 0.5], "metrics": {"mean_ttft_ms": 375.0}}
    requests = read(
        tmp_path, json.dumps(result), "candidate=tag", "batch=max_concurrency", "time_us=ttfts:s", "block=@file", name="p1.json"
    )
    assert facts(requests) == [(ID, 4, "p1.json", f"row 1, {n}", time, None) for n, time in ((1, 250_000_000_000), (2, 500_000_000_000))]
    mean = read(tmp_path, json.dumps(result), "candidate=tag", "batch==4", "time_us=metrics.mean_ttft_ms:ms", name="p2.json")
    assert facts(mean) == [(ID, 4, "", "row 1", 375_000_000_000, None)]


def test_a_group_is_a_part_of_a_run_and_entries_are_those_of_each_region(tmp_path: Path) -> None:
    timed = read(tmp_path, f'{HEAD},group,entries\n{ID},4,a,1,12,,"prefill, decode"\n{ID},4,a,1,5,P,\n')
    assert [(run.group, run.entries) for run in timed.runs] == [(None, ("prefill", "decode")), ("P", None)]
    assert timed.faults == ()


def test_notes_empty_lines_and_a_byte_order_mark_are_no_rows(tmp_path: Path) -> None:
    timed = read(tmp_path, f"\ufeff# by hand\n\n{HEAD}\n\n# later\n{ID},4,a,1,1\n")
    assert [run.place.line for run in timed.runs] == [6]


def test_a_measured_file_has_its_blocks_and_what_did_not_qualify(tmp_path: Path) -> None:
    ran = {"candidate": ID, "entries": [["prefill"], ["fuse", "decode"]], "blocks_us": [[1, 2], [], [3]]}
    parts = {**ran, "groups": [{"group": "P", "blocks_us": [[0.5], [], [1]]}]}
    failed = {**RUN, "qualified": False, "because": "tokens differ", "composition": {"candidate": ID, "entries": [["prefill"], ["decode"]]}}
    co_run = {**RUN, "qualified": False, "because": "x", "co_run": _CO_RUN}
    fake = {**RUN, "provenance": {**RUN["provenance"], "fake": True}, "composition": ran}
    text = json.dumps({"megasolve": "measured/v1", "runs": [{**RUN, "composition": parts}, failed, co_run, fake]})
    timed = read(tmp_path, text, name="measured.json")
    assert [(run.block, run.run, run.time_ps // 10**5, run.group) for run in timed.runs] == [
        ("an evening, block 1", "run 1", 10, None),
        ("an evening, block 1", "run 2", 20, None),
        ("an evening, block 3", "run 1", 30, None),
        ("an evening, block 1", "run 1", 5, "P"),
        ("an evening, block 3", "run 1", 10, "P"),
    ]
    assert {(run.entries, run.device, run.precision) for run in timed.runs} == {(("prefill", "fuse+decode"), "gpu", "bf16")}
    assert [(one.candidate, one.because) for one in timed.unqualified] == [(ID, "tokens differ")]
    assert [note.rpartition("json: ")[2] for note in timed.notes] == [
        "1 co-run left out: they time no candidate",
        "1 run on a stand-in for the hardware left out: its clock is virtual; --allow-simulated-hardware judges by it all the same",
    ]
    assert timed.objectives == {"first_publication"}
    allowed = read_runs([str(tmp_path / "measured.json")], allow_simulated_hardware=True)
    assert len(allowed.runs) == len(timed.runs) + 3
    assert allowed.notes[1].endswith("judged as was asked for: its clock is virtual, and nothing of it holds for a GPU")


_CO_RUN: dict[str, Any] = {
    "producer": {"groups": ["B"], "backend": "megakernel", "entries": ["decode"], "ctas": 2},
    "consumer": {"groups": ["C"], "backend": "conventional", "entries": ["codec"]},
    "cooperative": True,
    "wanted_ctas": 4,
    "met_ctas": 2,
}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (f"{ID},4,a,1,NaN", "time_us: found 'NaN', expected a finite number of us, without its unit"),
        (f"{ID},4,a,1,inf", "time_us: found 'inf', expected a finite number of us, without its unit"),
        (f"{ID},4,a,1,12 us", "time_us: found '12 us', expected a finite number of us, without its unit"),
        (f"{ID},4,a,1,0", "time_us: found '0', expected a time above 0 and at most 1,000,000,000,000 us"),
        (f"{ID},4,a,1,-3", "time_us: found '-3', expected a time above 0 and at most 1,000,000,000,000 us"),
        (f"{ID},4,a,1,", "no time_us: a run without a time is left out of the file, or says it"),
        (f"{ID},4.5,a,1,3", "batch: found '4.5', expected a whole number above 0"),
        (",4,a,1,3", "no candidate"),
        (f"{ID},4,a", "3 cells under a header of 5 columns"),
        (f"{ID},4,a,1,{'9' * 80}", f"time_us: found '{'9' * 57}...', expected a finite number of us, without its unit"),
    ],
)
def test_a_cell_that_holds_nothing_usable_is_a_fault_at_its_line_and_the_others_are_read(tmp_path: Path, row: str, message: str) -> None:
    timed = read(tmp_path, f"{HEAD}\n{row}\n{ID},4,a,2,3\n")
    assert said(timed) == [f"runs.csv:2: {message}"]
    assert len(timed.runs) == 1


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("candidate,batch,time_ms", "no column 'time_us'; time_ms may be it: --column time_us=time_ms:ms"),
        ("candidat,batch,time_us", "no column 'candidate'; did you mean 'candidat'?; --column candidate=NAME says which one it is"),
        ("candidate,time_us", "no column 'batch'; known: candidate, time_us; --column batch=NAME says which one it is"),
        ("candidate,batch,batch,time_us", "column 'batch' stands in the header twice"),
    ],
)
def test_a_header_without_what_is_needed_is_one_fault(tmp_path: Path, header: str, message: str) -> None:
    cells = ",".join("1" for _ in header.split(","))
    assert said(read(tmp_path, f"{header}\n{cells}\n{cells}\n"))[0] == f"runs.csv:1: {message}"


def test_a_table_with_times_in_two_units_is_refused(tmp_path: Path) -> None:
    assert said(read(tmp_path, f"{HEAD},time_ms\n{ID},4,a,1,12000,12\n")) == [
        "runs.csv:2: time_us and time_ms: mixed units; --column time_us=time_ms:ms reads that one"
    ]
    rows = [{"candidate": ID, "batch": 4, "time_us": 12000}, {"candidate": ID, "batch": 4, "time_ms": 12}]
    assert said(read(tmp_path, "\n".join(map(json.dumps, rows)), name="runs.jsonl")) == [
        "runs.jsonl:2: no time_us, but time_ms: another unit than expected; --column time_us=time_ms:ms reads that one"
    ]


_OR_FILE = "and ID=FILE whose runs a file holds"


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ('{"candidate": "x"\n', ["runs.json:2: is neither JSON lines nor one JSON text: expecting ',' delimiter"]),
        ('{"a": 1, "a": 2}\n', ["runs.json:1: duplicate key 'a': 1 and 2; keep one"]),
        ('[{"a": 1,\n "a": 2}]', ["runs.json:1: duplicate key 'a': 1 and 2; keep one"]),
        (
            '{"candidate": "x", "batch": 1, "time_us": 3}\nno\n[1]\n',
            [
                "runs.json:2: this line is not one complete JSON object",
                "runs.json:3: found a list, expected an object with the columns as keys",
            ],
        ),
        ("[" * 100_000, ["runs.json:1: is nested too deep"]),
        (
            '{"candidate": "x", "batch": 1, "time_us": NaN}',
            ["runs.json:1: time_us: found .nan, expected a finite number of us, without its unit"],
        ),
        ('{"candidate": "x", "batch": 1, "time_us": []}', ["runs.json:1: time_us: an empty list; leave the row out, or give its times"]),
        (
            '{"candidat": "x", "batch": 1, "time_us": 3}',
            [f"runs.json:1: no candidate; did you mean 'candidat'?; --column candidate=NAME says where it is, {_OR_FILE}"],
        ),
    ],
)
def test_broken_json_is_a_fault_with_its_line(tmp_path: Path, text: str, faults: list[str]) -> None:
    assert said(read(tmp_path, text, name="runs.json")) == faults


def test_an_unclosed_quote_is_no_csv(tmp_path: Path) -> None:
    (fault,) = said(read(tmp_path, f'{HEAD}\n"{ID},4,a,1,3\n{ID},4,a,2,3\n'))
    assert fault.startswith("runs.csv:2: is no CSV: ")


def test_files_of_ours_that_hold_no_runs_are_refused_and_those_with_findings_show_them(tmp_path: Path) -> None:
    assert said(read(tmp_path, "megasolve: spec/v1\nname: x\n", name="a.yaml")) == [
        "a.yaml:1: this is a spec/v1 file, and holds no measured runs"
    ]
    assert said(read(tmp_path, '{"megasolve": "result/v1"}', name="a.json")) == [
        "a.json:1: this is a result/v1 file, and holds no measured runs; a frozen plan is named with --plan"
    ]
    with pytest.raises(CheckFailed):
        read(tmp_path, "megasolve: measured/v1\nruns: [{}]\n", name="b.yaml")
    with pytest.raises(UnreadableFile):
        read_runs([str(tmp_path / "none.csv")])


def test_a_file_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"{HEAD}\n{ID},4,a,1,3\n")
    assert len(read_runs([str(tmp_path / "a.csv")] * 2).runs) == 1


PRINTED = """
============ Serving Benchmark Result ============
Successful requests:                     32
---------------Time to First Token----------------
Mean TTFT (ms):                          36.5
P99 TTFT (ms):                           41.2
==================================================
============ Serving Benchmark Result ============
Successful requests:                     32
Mean TTFT (ms):                          36.7
"""


def test_what_a_serving_benchmark_prints_is_a_run_for_each_result(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text(PRINTED)
    columns = columns_of(["time_us=Mean TTFT (ms):ms", "batch==4"])
    timed = read_runs([str(tmp_path / "run.txt")], columns, candidates={str(tmp_path / "run.txt"): ID})
    assert timed.faults == ()
    assert facts(timed) == [(ID, 4, "", "row 1", 36_500_000_000, None), (ID, 4, "", "row 2", 36_700_000_000, None)]
    assert [run.place.line for run in timed.runs] == [3, 9]
    (fault,) = said(read_runs([str(tmp_path / "run.txt")], columns_of(["time_us=Mean TPOT (ms):ms", "batch==4", "candidate==x"])))[:1]
    assert fault == "run.txt:3: no Mean TPOT (ms); did you mean 'Mean TTFT (ms)'?; --column time_us=NAME says where it is"


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "candidate,batch,time_us\nm:P@serial,1,2\nm:P@serial,1,3\n", "a;b:c\nd: 1;2\n"])
def test_a_header_of_columns_is_no_printed_figure(text: str) -> None:
    assert not is_printed(text)
