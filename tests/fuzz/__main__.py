"""Fuzz megasolve: ``python -m tests.fuzz --minutes 10``."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

ROOTS = Path(__file__).parents[2]
sys.path[:0] = [str(ROOTS / name) for name in ("contracts", "simulate", "solver", "gpu")]

from tests.fuzz.campaign import Plan, Tally, campaign  # noqa: E402
from tests.fuzz.inputs import KINDS, drawn_input  # noqa: E402
from tests.fuzz.judging import judge  # noqa: E402


def main() -> int:
    """Run a campaign, or a single input of one, and return 1 where something is broken."""
    asked = _asked()
    if asked.only:
        return _one(asked)
    most = None if asked.inputs is None else -(-asked.inputs // asked.jobs)
    kinds = tuple(asked.kinds or KINDS)
    plan = Plan(asked.seed, kinds, asked.minutes if asked.minutes is not None else 10**6, most, asked.jobs, asked.keep)
    tally = campaign(plan, _progress)
    _summary(tally, asked.keep)
    return 1 if tally.sorts else 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description="Run megasolve on random inputs, and keep those that break it."
    )
    parser.add_argument("--minutes", type=float, help="stop after so many minutes (default 1, or when --inputs are done)")
    parser.add_argument("--inputs", type=int, help="stop after so many inputs")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same inputs (default 1)")
    parser.add_argument("--kinds", nargs="+", choices=[*KINDS], help="only these kinds of inputs")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes (default 1)")
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "megasolve-fuzz-faults", help="where faults are kept")
    parser.add_argument("--only", metavar="KIND:INDEX", help="run one input alone")
    parser.add_argument("--keep-changes", metavar="N,N", dest="kept", help="with --only: make only these of its changes")
    asked = parser.parse_args()
    if asked.minutes is None and asked.inputs is None:
        asked.minutes = 1
    return asked


def _one(asked: argparse.Namespace) -> int:
    kind, _, index = asked.only.partition(":")
    one = drawn_input(KINDS[kind], asked.seed, int(index))
    if asked.kept is not None:
        one = replace(one, changes=tuple(one.changes[int(number)] for number in asked.kept.split(",")))
    os.environ.setdefault("MEGASOLVE_CACHE_DIR", tempfile.mkdtemp(prefix="megasolve-fuzz-cache-"))
    verdict = judge(one)
    print(verdict.fault or ("accepted" if verdict.accepted else "refused"))  # noqa: T201
    return 1 if verdict.fault else 0


def _progress(tally: Tally, seconds: float) -> None:
    done, sorts = sum(tally.inputs.values()), len(tally.sorts)
    print(f"{seconds:,.0f} s: {done:,} inputs, {done / seconds:,.0f} a second, {sorts} sorts of faults", flush=True)  # noqa: T201


def _summary(tally: Tally, keep: Path) -> None:
    rows = [f"{'kind':<14}{'inputs':>10}{'accepted':>10}"]
    rows += [f"{kind:<14}{count:>10,}{tally.accepted[kind] / count:>10.1%}" for kind, count in sorted(tally.inputs.items())]
    done = sum(tally.inputs.values())
    rows += [f"{'all':<14}{done:>10,}{sum(tally.accepted.values()) / max(done, 1):>10.1%}"]
    rows += [f"{tally.cpu_seconds / 3600:.3f} CPU hours, {done / max(tally.cpu_seconds, 1e-9):,.1f} inputs a CPU second"]
    rows += [f"{count:>6} x {signature}" for signature, count in tally.sorts.most_common()]
    rows += [fault.again for fault in tally.faults]
    rows += [f"kept in {keep}"] if tally.faults else ["no faults"]
    print("\n".join(rows))  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
