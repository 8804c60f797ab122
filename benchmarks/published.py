"""What the model says beside what was published, figure by figure: run ``python -m benchmarks.published``.

Each row is *predicted* (nothing of it went in), *fitted* (it says to what) or has a *missing input*; docs/published.md explains
them. No time of a composed design is an input to its own prediction. Wrong predictions stay in, with the reason if it is known.
The last line counts the winners of the paper's 13 cases; only predicted ones count. What the table does not compare: this
planner with another, or anything measured by us.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from .published_decode import decode_rows, gap_rows, layer_graph_rows, served_rows
from .published_green import green_rows
from .published_ladders import ladder_rows
from .published_mpk import cut_rows, mpk_rows
from .published_pairs import measured_graph_rows, pair_rows
from .published_pairs import sweep_rows as cta_rows
from .published_paper import layer_rows, unnamed_rows
from .published_row import Row, before_line, count_line, heading, lines_of
from .published_tables import barrier_rows, chain_rows, int8_rows, prefetch_rows, sweep_rows
from .published_winners import CASES, case_rows

Part = Callable[[], list[Row]]


def parts() -> list[Part]:
    """Return the parts of the table in their order; they can be worked out beside each other."""
    cases = [partial(case_rows, case, batch) for case in CASES for batch in case.winners]
    tables = [sweep_rows, chain_rows, barrier_rows, decode_rows, layer_graph_rows, gap_rows, int8_rows, served_rows, prefetch_rows]
    built = [mpk_rows, cut_rows, ladder_rows, pair_rows, cta_rows, measured_graph_rows, green_rows]
    return [*cases, layer_rows, unnamed_rows, *tables, *built]


def table() -> list[Row]:
    """Return all rows, worked out by as many processes as there are processors."""
    with ProcessPoolExecutor() as pool:
        asked = [pool.submit(part) for part in parts()]
        return [row for one in asked for row in one.result()]


def main() -> None:
    """Print the table."""
    rows = table()
    print(heading())
    print("\n".join(lines_of(rows)))
    print(before_line(rows))
    print(count_line(rows))


if __name__ == "__main__":
    main()
