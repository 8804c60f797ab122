"""Rules of pairs of budgets, in the turns that the accepted and rejected files do not show."""

from __future__ import annotations

from pathlib import Path

from tests.support.disk.rule_files import CONTRACT, SPEC, changed, check_study, codes_of

LOOP = changed(CONTRACT, ("members: [B]", "members: [B, L]\nloops_on_device: true"))


PAIR = changed(SPEC, ("contracts: []", "budget_pairs: [{producer_ctas: 88, consumer_ctas: 52}]\ncontracts: []"))


CODEC = changed(CONTRACT, ("entry: decode", "entry: codec"), ("members: [B]", "members: [C]"), ("[132, 88]", "[132, 52]"))


WIDE = ("registers: 128", "registers: 255")


def test_a_pair_that_never_fits_names_the_sum(tmp_path: Path) -> None:
    (finding,) = check_study(tmp_path, PAIR, loop=changed(LOOP, WIDE), codec=CODEC)
    assert finding.startswith("REF-07 88/52 holds 88 + 52 = 140 > 132 SMs of 'gpu'; lower one side")


def test_a_pair_of_entries_that_share_every_sm_fits(tmp_path: Path) -> None:
    assert check_study(tmp_path, PAIR, loop=LOOP, codec=CODEC) == []


def test_a_pair_without_entries_is_counted_one_cta_on_an_sm(tmp_path: Path) -> None:
    assert codes_of(check_study(tmp_path, PAIR)) == ["REF-07"]


def test_a_pair_that_deadlocks_in_one_order_says_so_until_a_contract_packs_it(tmp_path: Path) -> None:
    pair = changed(PAIR, ("producer_ctas: 88", "producer_ctas: 160"))
    dense = changed(LOOP, ("[132, 88]", "[160]"), ("registers: 128", "registers: 128, shared_bytes: 110000, ctas_per_sm: 2"))
    codec = changed(CODEC, ("registers: 128", "registers: 128, shared_bytes: 150000"))
    (finding,) = check_study(tmp_path, pair, loop=dense, codec=codec)
    assert finding.startswith("REF-07 160/52: 80 + 52 = 132 SMs <= 132 only if packed: launched first, 'decode' takes 132 of 132 SMs")
    assert "; a deadlock in that order; lower one side, or state in `placement.packed` of 'decode' what packs its CTAs" in finding
    assert check_study(tmp_path, pair, loop=dense + "placement: {packed: roles of one cluster}\n", codec=codec) == []


def test_a_pair_fits_where_two_ctas_of_a_side_share_an_sm(tmp_path: Path) -> None:
    dense = changed(CODEC, ("registers: 128", "registers: 96, ctas_per_sm: 2"))
    assert check_study(tmp_path, PAIR, loop=LOOP, codec=dense) == []


def test_one_shared_launch_supports_a_pair_by_its_sum(tmp_path: Path) -> None:
    pair = changed(PAIR, ("consumer_ctas: 52", "consumer_ctas: 44"))
    whole = changed(LOOP, ("members: [B, L]", "members: [P, B, L, C]"), ("[132, 88]", "[132]"))
    assert check_study(tmp_path, pair, whole=whole) == []
    assert codes_of(check_study(tmp_path, changed(pair, ("consumer_ctas: 44", "consumer_ctas: 40")), whole=whole)) == ["REF-06", "REF-06"]
