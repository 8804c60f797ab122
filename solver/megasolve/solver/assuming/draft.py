"""The draft of a contract for a region that is chosen to be built: what follows from its kernels, and what is open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from megasolve.contracts import Device, MegasolveError, Spec, Study
from megasolve.contracts.limits.occupancy import occupancy
from megasolve.contracts.model.closest import closest_few
from megasolve.contracts.model.contract import Launch
from megasolve.simulate.plan.region_graph import Groups, region_graph

from ..evidence.derivation import Derivation
from ..evidence.lookup import Evidence
from .costs import declared_cost
from .kernels import KernelsToday, KernelToday, programs_of, shared_launch

_NEAREST = 3


class NoSuchRegion(MegasolveError):
    """Groups that a spec does not have, that are no region of it, or that have no conventional evidence."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A contract as its file would have it: what is *authored*, key by key, and what is *open*, one sentence each."""

    entry: str
    authored: Mapping[str, object]
    open: tuple[str, ...]

    def without_programs(self) -> Draft:
        """Return the same without operators, for where those of several kernels do not make one program."""
        bare = {key: value for key, value in self.authored.items() if key != "programs"}
        return replace(self, authored=bare, open=(*self.open, "programs: the operators of its kernels make no program as they stand"))


def drafted(study: Study, region: str, derivation: Derivation | None = None) -> Draft:
    """Return the draft of the contract of *region*, written as in ids: `m:attn+mlp`.

    Raises
    ------
    NoSuchRegion
        It is no region of the spec, or one of its groups has no conventional evidence.
    """
    groups = _groups(study.spec.value, region)
    kernels = _kernels(study, groups, derivation)
    launch, device = dict(shared_launch(kernels)), study.device.value
    entry = "+".join(groups)[:128]
    cost = declared_cost(device, "cooperative")
    # What the device states needs no figure of its own; elsewhere zeros stand until somebody measures.
    figures = {} if cost else {"host_us": 0, "exposed_us": 0}
    is_open = {"unverified": "nobody built it, and its kernels do not say what they need"}
    authored = {
        "megasolve": "contract/v1",
        "entry": entry,
        "backend": "megakernel",
        "members": groups,
        "budgets_ctas": (device.usable_sms,),
        "launch": {**launch, "ctas_per_sm": 1} if launch else is_open,
        "dispatch": {"kind": "cooperative", "host_waits": True, **figures},
        "loops_over": _loops(study.spec.value, groups),
        "synchronization": {"kind": "counters"},
        "notes": _notes(kernels),
        **programs_of(groups, kernels),
    }
    return Draft(entry, authored, tuple(_open(study, kernels, launch, has_cost=cost is not None)))


def _groups(spec: Spec, region: str) -> Groups:
    graph = region_graph(spec)
    names = tuple(region.removeprefix("m:").split("+"))
    known = {frozenset(groups): groups for groups in graph.regions}
    if frozenset(names) in known and len(set(names)) == len(names):
        return known[frozenset(names)]
    strangers = [name for name in names if name not in graph.groups]
    near = ", ".join(closest_few(region, [f"m:{'+'.join(groups)}" for groups in graph.regions], _NEAREST))
    because = f"'{strangers[0]}' is no group of spec '{spec.name}'" if strangers else graph.why_not(names) or "a group is named twice"
    raise NoSuchRegion(f"{region} is no region: {because}; the nearest are {near}")


def _kernels(study: Study, groups: Groups, derivation: Derivation | None) -> tuple[KernelToday, ...]:
    spec, today = study.spec.value, KernelsToday(study, Evidence(study, derivation))
    of = {group.name: group for group in spec.groups}
    found = {name: today.of(of[name], spec.batches[0], spec.shapes_of(of[name])[0]) for name in groups}
    if missing := [name for name, kernels in found.items() if kernels is None]:
        raise NoSuchRegion(f"no conventional evidence for {', '.join(missing)}: nothing follows from it for a megakernel")
    return tuple(kernel for kernels in found.values() for kernel in kernels or ())


def _loops(spec: Spec, groups: Sequence[str]) -> tuple[str, ...]:
    return ("repeat",) if any({*block.groups} <= {*groups} for block in spec.repeats) else ()


def _notes(kernels: Sequence[KernelToday]) -> str:
    each = [f"{kernel.contract.value.entry} x{kernel.contract.value.kernels}" for kernel in kernels]
    return f"takes the place of {', '.join(each)}"


def _open(study: Study, kernels: Sequence[KernelToday], launch: Mapping[str, object], *, has_cost: bool) -> Iterator[str]:
    """Yield what nobody can know before the kernel is written, and what its kernels already say against it."""
    yield "source: the file and the symbol of the kernel"
    if launch:
        yield from _fit(study.device.value, launch)
    else:
        yield "launch: threads, registers and shared_bytes; not all of the kernels of today say theirs"
    if not has_cost:
        yield f"dispatch: host_us and exposed_us; {study.device.value.name} states no launch cost, 0 stands for it"
    waits = sum(kernel.contract.value.kernels for kernel in kernels) - 1
    yield f"synchronization: its kind and the cost of a wait, of which there are {waits:,} between the stages of one call"
    sms = study.device.value.usable_sms
    narrow = [kernel for kernel in kernels if (kernel.contract.value.grid_ctas or sms) < sms]
    if narrow:
        yield f"narrow stages: {len(narrow):,} of {len(kernels):,} kernels have fewer CTAs than the device has SMs"
    yield "storage: what stays on chip between the stages"
    yield "records: a time of each member on each budget; megasolve measure, or assumed ones until then"


def _fit(device: Device, launch: Mapping[str, object]) -> Iterator[str]:
    shape = Launch.model_validate({name: launch[name] for name in ("threads", "registers", "shared_bytes") if name in launch})
    fits = occupancy(device, shape).ctas_per_sm
    yield f"launch: the largest threads, registers and shared memory of its kernels; {fits} CTAs of that fit on an SM of {device.name}"
