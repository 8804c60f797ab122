"""Notes: what a reader must know before trusting a score, said beside it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction

from megasolve.contracts import SIMULATED_HARDWARE
from megasolve.simulate import Deadlock, Effects, Objective, Phase, Sharing, score
from megasolve.simulate.plan.candidate import Candidate
from megasolve.simulate.plan.policy import Policy
from megasolve.simulate.plan.works import Section
from megasolve.simulate.predict.lowering.stretches import on_its_side
from megasolve.simulate.predict.lowering.writer import FIRST_CHUNK, STEP_H

from ...evidence.doubts import doubts_of
from ...search.predicates import Judge, Variant
from ..compose import Composed, compose
from ..result import Ranked
from ..times import ms_text

BEST_CASE = (
    "best case: kernels beside each other share SMs, waves and memory bandwidth, and nothing else is modelled; "
    "what caches and the block scheduler cost beside that, only a co-run says (megasolve measure --co-run)"
)


def assumption_notes(judge: Judge, candidate: Candidate, variant: Variant, composed: Composed) -> tuple[str, ...]:
    """Return what the score of one candidate assumes."""
    return tuple(_assumptions(judge, candidate, variant, composed))


def _assumptions(judge: Judge, candidate: Candidate, variant: Variant, composed: Composed) -> Iterator[str]:
    if composed.assumption:
        yield f"assumes placement: {composed.assumption}"
    if candidate.policy.sharing is Sharing.DYNAMIC and not judge.question.has_tail:
        yield "without producer overlap: no producer step is left when the first chunk is ready (h = r)"
    yield from _sharing_notes(judge, candidate, composed)
    if candidate.policy.is_partition:
        yield from _payments(judge, candidate, variant, composed)
    for choice in variant:
        for contract in choice.contracts:
            if contract.value.launch.unverified:
                yield f"launch limits of '{contract.value.entry}' are not verified: {contract.value.launch.unverified}"
    yield from _of_derived(judge, composed)
    yield from _doubtful_factors(judge, composed)


def _sharing_notes(judge: Judge, candidate: Candidate, composed: Composed) -> Iterator[str]:
    """Yield what the scores of partitions rest on and, where these are ranked, what a split takes with the load that they have."""
    spec, policy = judge.question.spec, candidate.policy
    if policy.is_partition and spec.partition_by == "mps":
        yield "MPS percentages limit a process and reserve nothing: scored as if the two had SMs of their own"
    if policy.is_streams or policy.is_inside:
        yield BEST_CASE
    if policy.is_partition and spec.partition_by == "mig":
        yield "memory bandwidth is shared, as by compute instances of one GPU instance; slices of their own memory are not modelled"
    if not policy.is_split or {"partition", "streams"}.isdisjoint(spec.policies) or judge.question.is_steady or not judge.question.has_tail:
        return
    loaded = score(composed.composition, is_loaded=True)
    if not isinstance(loaded, Deadlock):
        others = " and ".join(f"{one}s" if one == "partition" else one for one in ("partition", "streams") if one in spec.policies)
        time = ms_text(loaded.value_ps)
        yield f"nothing runs behind step h under a split; with the producers going on until publication, as on {others}, {time}"


def _payments(judge: Judge, candidate: Candidate, variant: Variant, composed: Composed) -> Iterator[str]:
    """Yield what each side pays for SMs of its own, and for the traffic of the other one."""
    composition, sms = composed.composition, judge.study.device.value.usable_sms
    serial = Policy(Sharing.SERIAL)
    alone = None if judge.variant_causes(variant, serial) else compose(judge, Candidate(candidate.cover, serial), variant).composition
    sides = (
        ("a step", composition.producers, candidate.policy.producer_ctas),
        ("a chunk", composition.consumers, candidate.policy.consumer_ctas),
    )
    for what, groups, part in sides:
        here = sum(_with_gaps_ps(section) for section in on_its_side(composition, groups).sections)
        said = f"{what} takes {ms_text(here)} on {part} SMs"
        if alone is None:
            yield f"{said}; what it takes on all {sms} is not known"
        else:
            whole = _with_gaps_ps(Section(alone.works_of(groups, Phase.WHOLE)))
            yield f"{said}, {ms_text(whole)} on all {sms}: {here / whole - 1:+.2%}".replace("%", " %")
    yield from _delays(judge, composed)


def _with_gaps_ps(section: Section) -> int:
    """Return what *section* takes by itself, with the gaps before its kernels and without its launches."""
    return sum(count * (work.service_ps + work.gaps_ps) for work, count in section.counted())


def _delays(judge: Judge, composed: Composed) -> Iterator[str]:
    """Yield by how much memory traffic beside them delays the first chunk and step h."""
    if judge.question.objective is not Objective.FIRST_PUBLICATION:
        return
    found, quiet = (score(one) for one in (composed.composition, Effects(contention=False).applied_to(composed.composition)))
    if isinstance(found, Deadlock) or isinstance(quiet, Deadlock) or found.outcome is None or quiet.outcome is None:
        return
    late = [
        f"{label} by {ms_text(Fraction(found.outcome.finish_of(label)) - Fraction(quiet.outcome.finish_of(label)))}"
        for label in (FIRST_CHUNK, STEP_H)
        if found.outcome.finish_of(label) != quiet.outcome.finish_of(label)
    ]
    if late:
        yield f"memory traffic of the other side delays {' and '.join(late)}"


def _doubtful_factors(judge: Judge, composed: Composed) -> Iterator[str]:
    """Yield what is to be said of the calibrations that derived times rest on, each once."""
    uses = [usage.use for usage in composed.usages]
    factored = [(use.record, use.derived) for use in uses if use.derived and use.derived.factors]
    behind = [one for record, derived in factored for one in judge.evidence.deriver.calibrations_of(record, derived)]
    yield from dict.fromkeys(f"calibration of '{one.entry}': {one.finding}" for one in behind if one.finding)


def _of_derived(judge: Judge, composed: Composed) -> Iterator[str]:
    """Yield what derived times borrow from another device, and what they cannot know of this one, each contract once."""
    mechanisms = judge.evidence.derivation.mechanisms
    contracts = {usage.use.document.file: usage.use.document.value for usage in composed.usages if usage.use.derived}
    for contract in contracts.values():
        yield from doubts_of(judge.study, contract, mechanisms)


def device_notes(judge: Judge) -> tuple[str, ...]:
    """Return which limit of the device nobody stated, so that no launch is checked against it."""
    device = judge.study.device.value
    if device.ctas_per_sm is not None:
        return ()
    unknown = f"how many CTAs an SM of {device.name} holds is unknown (no ctas_per_sm)"
    return (f"{unknown}: launches are checked against its other limits only, and two on one SM are not taken to fit",)


def evidence_notes(ranking: Sequence[Ranked]) -> tuple[str, ...]:
    """Return what the evidence of a whole ranking is, where it is not what a reader would take it for."""
    return tuple(kind_notes({kind for row in ranking for kind in row.evidence}))


def kind_notes(kinds: Collection[str]) -> Iterator[str]:
    """Yield what scores are that rest on *kinds* of evidence."""
    kinds = set(kinds)
    if SIMULATED_HARDWARE in kinds:
        which = "every time is" if kinds == {SIMULATED_HARDWARE} else "some times are"
        yield f"{which} from a stand-in for the hardware, whose clock is virtual: the plan was tried out, and says nothing about a GPU"
    if kinds == {"reconstructed"}:
        yield "every record is reconstructed from published totals: this ranking is a regression of the method, not a prediction"
    elif "reconstructed" in kinds:
        yield "some records are reconstructed from published totals: scores that rest on them are not predictions"
    if kinds == {"published"}:
        yield "every record is a published time of somebody else's run: the score of a single launch is that time, not a prediction"
    if "tile-simulated" in kinds:
        which = "every time is" if kinds == {"tile-simulated"} else "some times are"
        yield f"{which} simulated from the programs in the contracts, not measured; megasolve table shows how"
