"""From trees to the bytes of files, by the ending of their names: YAML, JSON lines, JSON, CSV and SQLite."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import yaml

from tests.fuzz.drawn.trees import Tree

TEXT_COLUMNS = {"value", "text", "name", "busLocation", "uuid"}


def written_bytes(name: str, tree: Tree) -> bytes:
    """Return the content of the file *name* that holds *tree*."""
    if name.endswith(".gz"):
        return gzip.compress(written_bytes(name.removesuffix(".gz"), tree), mtime=0)
    match name.rpartition(".")[2]:
        case "yaml":
            return _yaml(tree)
        case "jsonl":
            return _json_lines(tree)
        case "csv":
            return _csv(tree, quoting=csv.QUOTE_ALL if "ncu" in name else csv.QUOTE_MINIMAL)
        case "sqlite":
            return _sqlite(tree)
        case _:
            return _json(tree)


def _json(tree: Tree) -> bytes:
    return json.dumps(tree).encode()


def _yaml(tree: Tree) -> bytes:
    try:
        return yaml.dump(tree, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True, width=200).encode()
    except (yaml.YAMLError, UnicodeEncodeError):
        # Twins and lone surrogates have no YAML of their own; JSON is YAML.
        return _json(tree)


def _json_lines(tree: Tree) -> bytes:
    if not isinstance(tree, dict) or not isinstance(lines := tree.get("records"), list):
        return _json(tree) + b"\n"
    head: Tree = {key: value for key, value in tree.items() if key != "records"}
    return b"".join(_json(line) + b"\n" for line in (head, *lines))


def _csv(tree: Tree, *, quoting: int) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL if quoting == csv.QUOTE_ALL else csv.QUOTE_MINIMAL)
    for row in tree if isinstance(tree, list) else [tree]:
        if isinstance(row, str):
            text.write(f"{row}\n")
        else:
            writer.writerow([_cell_text(cell) for cell in (row if isinstance(row, list) else [row])])
    return text.getvalue().encode("utf-8", "surrogatepass")


def _cell_text(cell: Tree) -> str:
    return cell if isinstance(cell, str) else "" if cell is None else str(cell)


def _sqlite(tree: Tree) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "export"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")
            for table, rows in tree.items() if isinstance(tree, dict) else ():
                _fill(connection, table, [row for row in (rows if isinstance(rows, list) else [rows]) if isinstance(row, dict)])
            connection.commit()
        return path.read_bytes()


def _fill(connection: sqlite3.Connection, table: str, rows: list[dict[str, Tree]]) -> None:
    columns = list(dict.fromkeys(str(column) for row in rows for column in row))[:200] or ["start"]
    declared = ", ".join(f"{_quoted(column)} {'TEXT' if column in TEXT_COLUMNS else 'INTEGER'}" for column in columns)
    try:
        connection.execute(f"CREATE TABLE {_quoted(table)} ({declared})")
        cells = [[_cell(row.get(column)) for column in columns] for row in rows]
        connection.executemany(f"INSERT INTO {_quoted(table)} VALUES ({', '.join('?' * len(columns))})", cells)
    except (sqlite3.Error, UnicodeEncodeError):
        # A name that SQLite takes for none: the table is left out.
        return


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _cell(value: Tree) -> int | float | str | None:
    if isinstance(value, dict | list):
        return json.dumps(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value) if abs(value) < 10**300 else "9" * 300
    return value
