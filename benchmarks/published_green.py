"""A served Qwen3-4B with and without green contexts: what a prefill costs the tokens under way, and what the partition costs the first one.

Nobody published times on 32 or 138 SMs; they are derived from the graphs of both (`specs/published/green_contexts.yaml`). How many
sequences are under way follows from the model's own times: the rate of requests and their lengths are all that goes in of a load.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial

from megasolve.contracts import PS_PER_MS, Document, Study
from megasolve.simulate import Objective
from megasolve.solver import QueueInFront, solve

from .published_derived import changed, derived_us, kept, shipped_study
from .published_row import Mark, Published, Row

SHARED, SPLIT = "c:D+P@serial", "c:D/c:P@partition:32/138"
GRAPHS, KNOWN = "published/green_contexts", "published/green_contexts_known"
KNOWS = {GRAPHS: "graphs alone", KNOWN: "44.0 ms of prefill on all SMs as a record"}
LATER_TOKENS = 127
"""What a request of 128 tokens decodes behind the first one, which its prefill makes."""

MOST_SEQUENCES = 256
"""The largest batch of the server (docs/models/qwen3/decode-attention.md at 490ed4ef)."""

PROMPT, SPLIT_SMS, ROUND_BATCH = 1024, 32, 12

# What a product of so many columns and so deep takes on the 1,024 rows of a prompt, in us.
PRODUCTS_US = {(9728, 2560): 234.0, (2560, 4096): 94.0, (2560, 9728): 223.0}
STEPS_MS = {1: 5.96, 2: 6.53, 4: 6.72, 20: 7.9}
PREFILL_MS = 44.0
EAGER_GAPS_MS = {8: 22.49, 10: 24.65, 12: 26.89}

PRODUCTS = Published("green", "openinfer-project/openinfer, serving-perf-5090.md at 17a1927c: products of Qwen3-4B on an RTX 5090", "us")
STEPS = Published("green", "openinfer-project/openinfer, serving-perf-5090.md at 17a1927c: Qwen3-4B on an RTX 5090, context 1,024", "ms")
PREFILL = Published("green", "openinfer-project/openinfer, serving-performance.md at 35d0a6ae: the same, nothing in the prefix cache", "ms")
SERVED = Published("green", "openinfer-project/openinfer at 108e1f48: Qwen3-4B on an RTX 5090, decode on 32 SMs, prefill on 138", "ms")

SLOW = "products on 1,024 rows run at 218 to 229 TFLOP/s there, and at 194 to 207 here"
ONE_STEP = "decode and prefill are one step there, which reads the weights once and makes tokens, too"
DRAWN = (
    "14 GB/s an SM there, all of the bandwidth on 32 SMs here, as nobody says what these kernels have in flight; an SM of a Hopper draws "
    "42, which would be 14 % here; products of the partition are not tuned there"
)
PUT_OFF = "a queue of prefills alone, each as long as the last; the server puts a prefill off to its next step"
GROWS = "the queue, which is in the published ratio alone, grows faster than the time of a prefill"
NO_END = "the load grows without end"
EAGER = "what a launch without a graph costs on this machine"


@dataclass(frozen=True, slots=True)
class Times:
    """What a step and a prefill take (ms): each on all SMs, each beside the other on the partition, and the first token there."""

    step_ms: float
    prefill_ms: float
    split_step_ms: float
    split_prefill_ms: float
    split_first_ms: float

    @property
    def first_ms(self) -> float:
        """A step and then a prefill on all SMs: the first token of a request, and a gap between two tokens of the others."""
        return self.step_ms + self.prefill_ms


def in_turn_ms(times: Times, rate: int) -> float | None:
    """Return the time of a token where prefills take their share of all SMs; None where that is everything."""
    left = 1 - rate * times.prefill_ms / 1000
    return times.step_ms / left if left > 0 else None


def beside_ms(times: Times, rate: int) -> float | None:
    """Return the time of a token where steps have 32 SMs while a prefill runs, and all otherwise; None where one always does."""
    share = rate * times.split_prefill_ms / 1000
    return 1 / (share / times.split_step_ms + (1 - share) / times.step_ms) if share < 1 else None


@dataclass(frozen=True, slots=True)
class Figure:
    """A published figure by requests a second, and what the model has in its place, with the *reasons* of a miss by spec."""

    name: str
    published_ms: Mapping[int, float]
    ours: Callable[[Times, int], float | None]
    reasons: Mapping[str, str]
    basis: str = ""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to serve: what a token takes decides how many sequences are under way."""

    name: str
    token_ms: Callable[[Times, int], float | None]
    figures: tuple[Figure, ...]


QUEUE = "; prefills one at a time as requests come at random (M/D/1)"
IN_TURN = Way(
    "no partition",
    in_turn_ms,
    (
        Figure("gap", {8: 44.83, 10: 46.67, 12: 56.58}, lambda times, _: times.first_ms, {GRAPHS: SLOW, KNOWN: ONE_STEP}),
        Figure(
            "first token",
            {8: 62.48, 10: 70.41, 12: 92.33},
            lambda times, rate: queued_ms(times.first_ms, rate),
            {GRAPHS: SLOW, KNOWN: ONE_STEP},
            QUEUE,
        ),
        Figure("a token", {8: 11.03, 10: 13.55, 12: 18.88}, in_turn_ms, {GRAPHS: SLOW, KNOWN: ONE_STEP}),
    ),
)
BESIDE = Way(
    "32 and 138 SMs",
    beside_ms,
    (
        Figure("gap", {8: 21.10, 10: 23.45, 12: 25.51}, lambda times, _: times.split_step_ms, {GRAPHS: DRAWN, KNOWN: DRAWN}),
        Figure(
            "first token",
            {8: 88.39, 10: 152.50, 12: 372.36},
            lambda times, rate: queued_ms(times.split_first_ms, rate),
            {GRAPHS: SLOW, KNOWN: PUT_OFF},
            QUEUE,
        ),
        Figure("a token", {8: 10.07, 10: 12.11, 12: 14.54}, beside_ms, {GRAPHS: DRAWN, KNOWN: DRAWN}),
    ),
)


def green_rows() -> list[Row]:
    """Return the parts on all SMs, each load by either way, and which way is best for what."""
    loads = [
        row for spec in (GRAPHS, KNOWN) for way in (IN_TURN, BESIDE) for figure in way.figures for row in _load_rows(spec, way, figure)
    ]
    signs = [row for spec in (GRAPHS, KNOWN) for row in _sign_rows(spec)]
    eager = (SERVED.missing(f"gap at {rate}/s, 32 and 138 SMs, eager", theirs, lacks=EAGER) for rate, theirs in EAGER_GAPS_MS.items())
    return [*_part_rows(), *loads, *signs, *eager, *_best_rows()]


def _part_rows() -> Iterator[Row]:
    study = shipped_study(GRAPHS, symbols={"context": PROMPT})
    for (columns, depth), theirs in PRODUCTS_US.items():
        yield PRODUCTS.predicted(f"product of {columns} x {depth}, 1,024 rows", theirs, product_us(study, columns, depth), reason=SLOW)
    for batch, theirs in STEPS_MS.items():
        yield STEPS.predicted(f"decode step of {batch}, all SMs", theirs, derived_us(study, "D_graph", "D", batch=batch) / 1000)
    yield PREFILL.predicted("prefill of 1,024 tokens, all SMs", PREFILL_MS, derived_us(study, "P_graph", "P", batch=1) / 1000, reason=SLOW)


def product_us(study: Study, columns: int, depth: int) -> float:
    """Return the time of one product of the prefill, in a tile of a library, as a kernel by itself."""
    file = next(one for one in study.contracts if one.value.entry == "P_graph")
    block = next(one for one in file.value.programs["P"] if one.repeat == "layers")
    product = next(one for one in block.operators if one.name == "o")
    alone = product.model_copy(update={"shape": {"m": PROMPT, "n": columns, "k": depth}, "after": ()})
    program = block.model_copy(update={"operators": (alone,), "repeat": 1})
    contract = file.value.model_copy(update={"programs": {"P": (program,)}, "kernels": 1})
    return derived_us(replace(study, contracts=(Document(file.file, contract, file.places),)), "P_graph", "P", batch=1)


def _load_rows(spec: str, way: Way, figure: Figure) -> Iterator[Row]:
    for rate, theirs in figure.published_ms.items():
        found = settled(partial(times_at, spec), rate, way)
        ours = None if found is None else figure.ours(found[1], rate)
        many = "" if found is None else f", {found[0]} sequences"
        said = NO_END if ours is None else ours
        name, basis = f"{figure.name} at {rate}/s, {way.name}{many}", KNOWS[spec] + figure.basis
        yield Row(SERVED.table, name, theirs, said, Mark.PREDICTED, SERVED.source, SERVED.unit, basis, figure.reasons[spec])


def _sign_rows(spec: str) -> Iterator[Row]:
    """Yield what the partition makes of the gap and of the first token, there without a queue; nothing where the load has no end."""
    over, (gaps, firsts) = replace(SERVED, unit=""), zip(IN_TURN.figures[:2], BESIDE.figures[:2], strict=True)
    for (shared, split), name, reason in ((gaps, "gap", DRAWN), (firsts, "first token, no queue,", GROWS)):
        for rate, theirs in shared.published_ms.items():
            found, beside = (settled(partial(times_at, spec), rate, way) for way in (IN_TURN, BESIDE))
            if found is None or beside is None:
                continue
            ours = (beside[1].split_step_ms if name == "gap" else beside[1].split_first_ms) / found[1].first_ms
            yield over.predicted(
                f"{name} at {rate}/s, the partition over none", split.published_ms[rate] / theirs, ours, basis=KNOWS[spec], reason=reason
            )


def _best_rows() -> Iterator[Row]:
    for objective, figure, theirs in (("producer_step", "gap", SPLIT), ("first_publication", "first token", SHARED)):
        (result,) = solve(shipped_study(GRAPHS), batches=[ROUND_BATCH], objective=objective, derivation=kept()).results
        ours = next(row.id for row in result.ranking if row.id in (SHARED, SPLIT))
        basis = f"objective {objective}, {ROUND_BATCH} sequences (ASSUMED)"
        yield Row(SERVED.table, f"best of both ways for the {figure}", theirs, ours, Mark.PREDICTED, SERVED.source, basis=basis)


def settled(times_of: Callable[[int], Times], rate: int, way: Way) -> tuple[int, Times] | None:
    """Return how many sequences are under way at *rate*, the least at which tokens keep pace with the requests, and the *times_of* so many.

    None where that is never so: prefills take all the time, or each further sequence needs one more than it brings.
    """
    batch = 1
    while batch <= MOST_SEQUENCES:
        times = times_of(batch)
        token_ms = way.token_ms(times, rate)
        if token_ms is None:
            return None
        needed = round(LATER_TOKENS * rate * token_ms / 1000)
        if needed <= batch:
            return batch, times
        batch = needed
    return None


@cache
def times_at(spec: str, batch: int) -> Times:
    """Return what the shipped *spec* says of *batch* sequences under way."""
    study = of_sequences(shipped_study(spec), batch)
    (result,) = solve(study, derivation=kept()).results
    scores = {row.id: {objective: float(ps) / PS_PER_MS for objective, ps in row.times} for row in result.ranking}
    step_ms, alone_ms = (derived_us(study, "D_graph", "D", batch=batch, workers=sms) / 1000 for sms in (None, SPLIT_SMS))
    first_ms = scores[SPLIT][Objective.FIRST_PUBLICATION]
    return Times(
        step_ms=step_ms,
        prefill_ms=scores[SHARED][Objective.PRODUCER_STEP] - step_ms,
        split_step_ms=scores[SPLIT][Objective.PRODUCER_STEP],
        split_prefill_ms=first_ms - alone_ms,
        split_first_ms=first_ms,
    )


def of_sequences(study: Study, batch: int) -> Study:
    """Return *study* with *batch* sequences under way; what is recorded of a prefill holds for any number of them."""
    files = []
    for file in study.records:
        records = tuple(record.model_copy(update={"batch": batch}) for record in file.value.records[:1])
        files.append(Document(file.file, file.value.model_copy(update={"records": records}), file.places))
    return replace(changed(study, batches=(batch,)), records=tuple(files))


def queued_ms(service_ms: float, rate: int) -> float | None:
    """Return *service_ms* with the mean wait for others that take as long; None where they come as fast as they are served."""
    queue = QueueInFront(Fraction(rate), Fraction(service_ms) * PS_PER_MS, None, None)
    return service_ms + queue.exact_added_ps / PS_PER_MS if queue.utilization < 1 else None
