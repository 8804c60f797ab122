"""Every rule that a candidate breaks is named; a case from the field."""

from __future__ import annotations

from tests.support.planning.answers import first
from tests.support.planning.studies import SHAPE, group, megakernel, record, spec, study


def test_c66_three_independent_faults_are_all_listed() -> None:
    stage, codec = megakernel("B", budgets=(132, 88)), megakernel("C", budgets=(132, 52), launch={**SHAPE, "shared_bytes": 240_000})
    known = [*(record(stage, "B", 5, ctas) for ctas in (132, 88)), record(codec, "C", 5)]
    pair = {"producer_ctas": 88, "consumer_ctas": 52}
    asked = study(
        spec([group("B", "producer"), group("C", "consumer")], stream={"first_chunk": 1}, budget_pairs=[pair]), [stage, codec], known
    )
    result = first(asked)
    causes = {cause.rule.code: cause.because for cause in next(row for row in result.excluded if row.id == "m:B/m:C@fixed:88/52").causes}
    assert {"CTA-03", "LIM-10", "EVI-01"} <= set(causes)
    assert "140 SMs > 132" in causes["CTA-03"]
    assert "240,000" in causes["LIM-10"]
    assert "232,448" in causes["LIM-10"]
    assert "no record of C on megakernel entry 'C' with 52 CTAs" in causes["EVI-01"]
