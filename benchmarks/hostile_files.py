"""The worst inputs that are known for reading, checking and importing: each maker returns a file of about the size that is asked for."""

from __future__ import annotations

import gzip
import sqlite3
import string
from collections.abc import Callable, Mapping
from contextlib import closing
from itertools import islice, product
from pathlib import Path
from types import MappingProxyType

CONTRACT = "megasolve: contract/v1\nentry: x\nbackend: megakernel\n"
RECORDS = "megasolve: records/v1\nrecords:\n"
LINES_HEAD = '{"megasolve": "records/v1"}\n'
SPEC = "megasolve: spec/v1\nname: x\n"
GPU_TRACE = (
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Device,Ctx,Strm,Name\n"
)
KERNEL = (
    '{{"ph":"X","cat":"kernel","name":"{0}","pid":0,"tid":7,"ts":{1},"dur":1,'
    '"args":{{"device":0,"context":1,"stream":7,"correlation":{1}}}}}'
)


def filled(begin: str, part: str, end: str, size: int) -> str:
    """Return *begin*, *part* as often as it fits into *size*, and *end*."""
    return begin + part * max((size - len(begin) - len(end)) // len(part), 1) + end


def numbered(begin: str, part: str, end: str, size: int) -> str:
    """Return *begin*, then *part* with running numbers in its braces up to about *size*, and *end*."""
    count = size // (len(part) + 4)
    return begin + "".join(part.format(number) for number in range(count)) + end


def words(size: int) -> str:
    """Return different short words with commas behind them."""
    return "".join(f"{''.join(letters)}," for letters in islice(product(string.ascii_lowercase, repeat=5), size // 6))


YAML: Mapping[str, Callable[[int], str]] = MappingProxyType(
    {
        "entries that are no records": lambda n: filled(RECORDS, "- b\n", "", n),
        "empty records": lambda n: filled(RECORDS, "- {}\n", "", n),
        "records with one wrong key": lambda n: filled(RECORDS, "- {a: 1}\n", "", n),
        "short numbers": lambda n: filled("a: [", "0,", "0]\n", n),
        "short different words": lambda n: f"a: [{words(n)}a]\n",
        "empty mappings": lambda n: filled("a: [", "{},", "{}]\n", n),
        "small mappings": lambda n: filled("a: [", "{a: 0},", "{}]\n", n),
        "unknown keys": lambda n: numbered(SPEC, "k{0}:\n", "", n),
        "unknown keys of a section": lambda n: numbered(f"{CONTRACT}launch: {{", "k{0}: ,", "}\n", n),
        "duplicate keys": lambda n: filled("", "a: 1\n", "", n),
        "keys that are no text": lambda n: filled("", "1: 1\n", "", n),
        "foreign tags": lambda n: filled("", "- !a b\n", "", n),
        "endless numbers": lambda n: filled("", f"- {'1' * 70}\n", "", n),
        "repeated members": lambda n: filled(f"{CONTRACT}members: [", "a,", "a]\n", n),
        "different members": lambda n: f"{CONTRACT}members: [{words(n)}a]\n",
        "wrong budgets": lambda n: filled(f"{CONTRACT}members: [a]\nbudgets_ctas: [", "-1,", "1]\n", n),
        "wrong symbols": lambda n: numbered(f"{SPEC}symbols: {{", "s{0}: x,", "}\n", n),
        "different groups with unknown edges": lambda n: numbered(f"{SPEC}edges: [", "[a{0}, b],", "]\n", n),
        "depth at the end": lambda n: filled("a:\n", "- b\n", "x: " + "[" * 2_000, n),
        "deep everywhere": lambda n: filled("", f"- {'[' * 60}{']' * 60}\n", "", n),
        "deep blocks": lambda n: filled("", "- " * 60 + "\n", "", n),
        "anchors and aliases": lambda n: filled("a: [&x y,", "*x,", "*x]\n", n),
        "different anchors": lambda n: numbered("a: [", "&a{0} b,", "b]\n", n),
        "an unknown alias at the end": lambda n: filled("", "- b\n", "- *x\n", n),
        "one long text": lambda n: filled('a: "', "x", '"\n', n),
        "a text that is never closed": lambda n: filled('a: "', "x y ", "", n),
        "a text of escapes": lambda n: filled('a: "', "\\u0041", '"\n', n),
        "a long key": lambda n: filled("? ", "k", "\n: 1\n", n),
        "a long literal text": lambda n: filled("a: |\n", "  x\n", "", n),
        "empty lines": lambda n: filled("", "\n", "a: 1\n", n),
        "carriage returns": lambda n: filled("", "a: b\r\n", "", n),
        "comments": lambda n: filled("", "# x\n", "a: 1\n", n),
        "one line without an end": lambda n: filled("a: [", "b, ", "", n),
        "NUL characters": lambda n: filled("a: b\n" * 2_000, "\0", "", n),
        "a byte order mark before each line": lambda n: filled("", "\ufeffa: b\n", "", n // 2),
        "one character beyond the basic plane": lambda n: filled("a: [\U0001f600,", "0,", "0]\n", n),
    }
)
LINES: Mapping[str, Callable[[int], str]] = MappingProxyType(
    {
        "lines: escaped quotes behind brackets": lambda n: filled(LINES_HEAD + "[" * 65, '\\"', "\n", n),
        "lines: unknown keys of one line": lambda n: numbered(LINES_HEAD + "{", '"k{0}":0,', '"k":0}\n', n),
        "lines: empty records": lambda n: filled(LINES_HEAD, "{}\n", "", n),
        "lines: numbers": lambda n: filled(LINES_HEAD, "0\n", "", n),
        "lines: broken": lambda n: filled(LINES_HEAD, "{\n", "", n),
        "lines: duplicate keys of one line": lambda n: filled(LINES_HEAD + "{", '"a":1,', '"a":1}\n', n),
        "lines: blank": lambda n: filled(LINES_HEAD, "\n", "{}\n", n),
        "lines: one list": lambda n: filled(f'{LINES_HEAD}{{"a":[', "0,", "0]}\n", n),
        "lines: halves of surrogate pairs": lambda n: filled(LINES_HEAD, '{"a":"\\ud800"}\n', "", n),
        "lines: whole numbers without an end": lambda n: filled(f'{LINES_HEAD}{{"a":', "1", "}\n", n),
        "lines: no line end": lambda n: filled(LINES_HEAD, '{"a": 1} ', "", n),
    }
)


def kineto(events: str) -> str:
    """Return a trace with *events*."""
    return f'{{"schemaVersion":1,"traceEvents":[{events}]}}'


TRACES: Mapping[str, Callable[[int], str]] = MappingProxyType(
    {
        "trace: kernels": lambda n: kineto(",".join(KERNEL.format(f"k{i}", 2 * i) for i in range(n // 140))),
        "trace: empty events": lambda n: kineto(filled("", "{},", "{}", n)),
        "trace: one long name": lambda n: kineto(KERNEL.format("<" * n, 0)),
        "trace: names of brackets": lambda n: kineto(",".join(KERNEL.format("()" * 2_000 + str(i), 2 * i) for i in range(n // 4_200))),
        "trace: a deep value": lambda n: filled('{"traceEvents":[{"args":', "[", "", n),
        "trace: a whole number without an end": lambda n: filled('{"traceEvents":[{"ts":', "1", "}]}", n),
        "trace: a text that is never closed": lambda n: filled('{"traceEvents":[{"name":"', '\\"', "", n),
        "trace: blanks": lambda n: filled('{"traceEvents":[', " ", "]}", n),
        "trace: keys at the top": lambda n: numbered('{"traceEvents":[],', '"k{0}":0,', '"k":0}', n),
        "JSON of no tool": lambda n: numbered("{", '"k{0}":0,', '"k":0}', n),
        "JSON quotes without an end": lambda n: filled("{", '\\"', "", n),
    }
)
TABLES: Mapping[str, Callable[[int], str]] = MappingProxyType(
    {
        "table: long names": lambda n: (
            GPU_TRACE + "".join(f"{2 * i},1,{i},1,1,1,1,1,1,1,0,0,,H200,1,7,{'k1a' * 6_000}{i}\n" for i in range(n // 18_040))
        ),
        "table: many rows": lambda n: GPU_TRACE + "".join(f"{2 * i},1,{i},1,1,1,1,1,1,1,0,0,,H200,1,7,k{i}\n" for i in range(n // 44)),
        "table: a wide header": lambda n: filled("", "a ,", "a\n", n),
        "table: a header of blanks": lambda n: filled("a", " ", "!(\n", n),
        "table: quotes that do not pair": lambda n: filled(GPU_TRACE, '"', "\n", n),
        "text: empty lines": lambda n: filled("", "\n", "x\n", n),
        "text: one line": lambda n: filled("", "x", "", n),
    }
)


def write_bomb(path: Path, size: int) -> None:
    """Write a gzip that unzips to some hundred times its size; it is *size* bytes that are read of it at least."""
    with gzip.open(path, "wb", compresslevel=9) as stream:
        stream.write(b'{"schemaVersion":1,"traceEvents":[')
        event = b'{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":1,"dur":1},'
        for _ in range(64):
            stream.write(event * (max(size, 2**20) // len(event)))


def write_database(path: Path, size: int) -> None:
    """Write an export of nsys whose names are long texts and whose numbers are texts."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
        database.execute(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, demangledName, gridX)"
        )
        rows = max(size // 20_000, 1)
        database.executemany("INSERT INTO StringIds VALUES (?, ?)", ((row, f"{'k1<' * 6_000}{row}") for row in range(rows)))
        kernels = ((2 * row, 2 * row + 1, 0, 1, 7, row, row % rows, "1" * 500) for row in range(rows))
        database.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, ?, ?, ?, ?, ?)", kernels)
        database.commit()
