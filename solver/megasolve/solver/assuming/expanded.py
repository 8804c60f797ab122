"""From the assumptions of a spec to the contracts and records of the megakernels that they stand for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from megasolve.contracts import Contract, Document, GroupSpec, Key, Provenance, Record, Records, Spec, Study, key_of, partition_pairs
from megasolve.contracts.model.contract import CALIBRATED, Assumption, Assumptions, Looped
from megasolve.contracts.sizes.symbols import symbol_values
from megasolve.simulate.plan.budgets import planned_spec
from megasolve.simulate.plan.region_graph import Groups, region_graph

from ..evidence.derivation import Derivation
from ..evidence.lookup import Evidence, RecordUse
from .contracts import OPEN_LAUNCH, assumed_contract
from .costs import assumed_cost
from .kernels import KernelsToday, KernelToday, programs_of, shared_launch
from .moved import kept_bytes
from .records import assumed_record
from .times import CallTime, call_time


def with_assumptions(study: Study, derivation: Derivation | None = None, *, is_shape_open: bool = False) -> Study:
    """Return *study* with a contract and records for every megakernel that its spec assumes; they are labelled `assumed`.

    Where *is_shape_open*, nobody says what launch shape they have: they are taken to fit the device, whatever that of their kernels is.
    """
    if not study.spec.value.assume:
        return study
    expansion = _Expansion(study, Evidence(study, derivation), is_shape_open)
    made = [one for assumption in study.spec.value.assume for one in expansion.of(assumption)]
    named = {document.value.entry: (document, records) for document, records in reversed(made)}
    contracts = tuple(document for document, _ in reversed(named.values()))
    records = tuple(record for _, known in reversed(named.values()) for record in known)
    bare = study.spec.value.model_copy(update={"assume": ()})
    file = Document(study.spec.file, Records(megasolve="records/v1", records=records), study.spec.places)
    return replace(
        study,
        spec=replace(study.spec, value=bare),
        contracts=(*study.contracts, *contracts),
        records=(*study.records, file) if records else study.records,
    )


def with_assumed_file(study: Study, file: Document[Assumptions]) -> Study:
    """Return *study* with the assumptions of *file* behind those of its spec."""
    spec = study.spec.value
    return replace(study, spec=replace(study.spec, value=spec.model_copy(update={"assume": (*spec.assume, *file.value.assume)})))


Made = tuple[Document[Contract], tuple[Record, ...]]


@dataclass(frozen=True)
class _Expansion:
    """Makes megakernels of the kernels of one study."""

    study: Study
    evidence: Evidence
    is_shape_open: bool = False

    @property
    def spec(self) -> Spec:
        """The spec that is planned."""
        return self.study.spec.value

    @cached_property
    def _kernels(self) -> KernelsToday:
        return KernelsToday(self.study, self.evidence)

    @cached_property
    def _groups(self) -> dict[str, GroupSpec]:
        return {group.name: group for group in self.spec.groups}

    @cached_property
    def _budgets(self) -> tuple[int, ...]:
        pairs = (pair.counts for pair in planned_spec(self.study).budget_pairs)
        return tuple(dict.fromkeys(count for counts in pairs for count in counts))

    @cached_property
    def _partitions(self) -> tuple[int, ...]:
        """The SMs of all partitions that are planned."""
        pairs = partition_pairs(self.spec, self.study.device.value) if "partition" in self.spec.policies else ()
        return tuple(dict.fromkeys(sms for pair in pairs for sms in pair))

    def of(self, assumption: Assumption) -> Iterator[Made]:
        """Yield the megakernels that *assumption* stands for, each with its records: none for what is no region."""
        regions = region_graph(self.spec).regions
        asked = None if assumption.fuse == "any" else frozenset(assumption.fuse)
        for groups in regions:
            if asked is None or asked == frozenset(groups):
                for suffix, loops in self._loops(assumption, groups):
                    yield from self._made(assumption, groups, suffix, loops)

    def _loops(self, assumption: Assumption, groups: Groups) -> Iterator[tuple[str, tuple[Looped, ...]]]:
        """Yield over what a launch may stay: as is said, else for a whole block both ways, and around one over its repeats."""
        if assumption.loops_over is not None:
            yield "", assumption.loops_over
        elif any({*groups} == {*block.groups} for block in self.spec.repeats):
            yield "", ()
            yield ".repeats", ("repeat",)
        else:
            yield "", ("repeat",) if self.spec.repeats else ()

    def _made(self, assumption: Assumption, groups: Groups, suffix: str, loops: Sequence[Looped]) -> Iterator[Made]:
        first = self._calls(groups, self.spec.batches[0])
        if first is None:
            return
        kernels = tuple(kernel for each in first for kernel in each)
        whole = self.study.device.value.usable_sms * assumption.launch.ctas_per_sm
        parts = (*self._budgets, *(sms * assumption.launch.ctas_per_sm for sms in self._partitions))
        budgets = tuple(sorted({whole, *(count for count in parts if count < whole)}, reverse=True))
        document = assumed_contract(
            self.study,
            groups,
            assumed_cost(self.study.device.value, assumption.dispatch),
            suffix=suffix,
            loops_over=loops,
            budgets_ctas=budgets,
            policies=None,
            launch={**OPEN_LAUNCH, "ctas_per_sm": assumption.launch.ctas_per_sm} if self.is_shape_open else _launch(assumption, kernels),
            further=programs_of(groups, kernels) if assumption.efficiency == CALIBRATED else None,
        )
        records = tuple(self._records(assumption, groups, document, budgets))
        if records:
            yield replace(document, value=document.value.model_copy(update={"programs": {}})), records

    def _calls(self, groups: Groups, batch: int) -> list[tuple[KernelToday, ...]] | None:
        found = [self._kernels.of(self._groups[name], batch, self.spec.shapes_of(self._groups[name])[0]) for name in groups]
        known = [kernels for kernels in found if kernels is not None]
        return known if len(known) == len(found) else None

    def _records(self, assumption: Assumption, groups: Groups, document: Document[Contract], budgets: Sequence[int]) -> Iterator[Record]:
        provenance = Provenance(kind="assumed", source=_words(assumption))
        for key in self._keys(groups, document, budgets):
            if (time := self._time(assumption, document, key)) is not None:
                yield assumed_record(key, time.time_ps, provenance, time.hbm_bytes, assumption.accuracy)

    def _keys(self, groups: Groups, document: Document[Contract], budgets: Sequence[int]) -> Iterator[Key]:
        for name, batch, workers in product(groups, self.spec.batches, budgets):
            for shapes in self.spec.shapes_of(self._groups[name]):
                yield key_of(self.study, document.value, name, budget_ctas=workers, batch=batch, shapes=shapes)

    def _time(self, assumption: Assumption, document: Document[Contract], key: Key) -> CallTime | None:
        if assumption.efficiency == CALIBRATED:
            found = self.evidence.derived(key, document)
            return CallTime(found.record.time_ps, found.record.hbm_bytes) if isinstance(found, RecordUse) else None
        kernels = self._kernels.of(self._groups[key.group], key.batch, key.shapes)
        if kernels is None:
            return None
        symbols = symbol_values(self.spec, key.group, key.batch, key.shapes.get("frames"))
        kept = sum(kept_bytes(one.contract.value, key.group, assumption.on_chip, symbols) for one in kernels)
        # A launch that stays over the repeats of a block waits behind each of them, too.
        again = self._groups[key.group].calls > 1 or ("repeat" in (document.value.loops_over or ()) and self.spec.times_of(key.group) > 1)
        is_first = key.group == document.value.members[0] and not again
        return call_time(self.study.device.value, assumption, kernels, key.budget_ctas, is_first=is_first, kept_bytes=kept)


def _launch(assumption: Assumption, kernels: tuple[KernelToday, ...]) -> dict[str, object]:
    """Return the launch shape: what is said of it, else what the kernels share; what nobody says is open."""
    said = {name: figure for name in ("threads", "registers", "shared_bytes") if (figure := getattr(assumption.launch, name)) is not None}
    known = {**shared_launch(kernels), **said}
    is_open = not {"threads", "registers"} <= {*known}
    return {**known, "ctas_per_sm": assumption.launch.ctas_per_sm, **(OPEN_LAUNCH if is_open else {})}


def _words(assumption: Assumption) -> str:
    speed = "calibrated programs" if assumption.efficiency == CALIBRATED else f"today's kernels at efficiency {assumption.efficiency}"
    waits = f", {assumption.wait_ps / 10**6:g} us a wait" if assumption.wait_ps else ""
    return f"assumed: {speed}{waits}"
