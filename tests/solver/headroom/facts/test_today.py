"""What a region takes today: on the kernels of the best design, and on the quickest where that has a megakernel."""

from __future__ import annotations

from megasolve.contracts import Study
from megasolve.solver.headroom.headroom import headroom
from tests.support.planning.studies import Fields, conventional, group, megakernel, record, spec, study

TIMES_US = {"slow": 90, "quick": 40}
GROUPS = (group("P", "admission"), group("C", "consumer"))


def implemented(*more: Fields, together_us: float | None = None) -> Study:
    """Return P in two implementations, of which the slow one has the name of P, and C; with both in one megakernel where it has a time."""
    ways = [conventional("P", entry=name, implementation=name) for name in ("P", "quick")]
    known = [record(one, "P", time) for one, time in zip(ways, TIMES_US.values(), strict=True)]
    behind = conventional("C")
    known.append(record(behind, "C", 30))
    if together_us is not None:
        both = megakernel("P", "C", host_us=0)
        known += [record(both, name, together_us) for name in ("P", "C")]
        more = (*more, both)
    asked = spec(GROUPS, publication={"group": "C"}, policies=["serial"])
    return study(asked, [*ways, behind, *more], known)


def kernels_us(asked: Study, region: str) -> float:
    (batch,) = headroom(asked).batches
    (row,) = [one for one in batch.regions if "".join(one.groups) == region and not one.launched]
    return row.today.kernels_ps / 10**6


def test_a_group_takes_what_it_does_in_the_best_design() -> None:
    assert kernels_us(implemented(), "P") == TIMES_US["quick"]


def test_an_entry_in_the_name_of_a_megakernel_is_not_what_runs() -> None:
    # P+C is best and has P by name; what P takes by itself is still its quickest kernel.
    assert kernels_us(implemented(together_us=5), "P") == TIMES_US["quick"]
