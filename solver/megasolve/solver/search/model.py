"""The OR-Tools model: the whole space of covers, entries and budgets, with one constraint family for each way in which rules bear on it.

CP-SAT enumerates what survives. It never decides a score: survivors are simulated exactly. Enumeration needs a single
worker, and a fixed seed keeps it reproducible; what it reports is compared with the plain predicates (`select/selection.py`),
so that a fault of the solver is reported as one and never becomes an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product

from ortools.sat.python import cp_model

from megasolve.simulate.plan.candidate import Candidate, Choice
from megasolve.simulate.plan.cover import Backend, Cover, Region
from megasolve.simulate.plan.policy import policies

from ..goals.constraint import Alone, Needs, Total, names_of
from .kept import Kept, SolverFault
from .predicates import Judge, Variant


class SpaceModel:
    """Boolean variables for regions, choices of entries and policies of one question, tied by cover and membership."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.model = cp_model.CpModel()
        every = (Region(backend, groups) for groups in judge.graph.regions for backend in Backend)
        self.regions = {region: self.model.new_bool_var(str(region)) for region in every}
        self.policies = {policy: self.model.new_bool_var(str(policy)) for policy in policies(judge.question.spec)}
        self.chosen = {
            region: {choice: self.model.new_bool_var(f"{region}={choice}") for choice in judge.choices(region)} for region in self.regions
        }
        for group in judge.graph.groups:
            self.model.add_exactly_one(literal for region, literal in self.regions.items() if group in region.groups)
        self.model.add_exactly_one(self.policies.values())

    def never(self, *literals: cp_model.IntVar) -> None:
        """Forbid that all *literals* hold together."""
        self.model.add_bool_or([literal.negated() for literal in literals])


def acyclicity(space: SpaceModel) -> None:
    """Regions of one cover do not wait for each other; a circle of three or more is left to the collector."""
    for one, other in space.judge.graph.conflicts():
        for pair in product(Backend, Backend):
            space.never(*(space.regions[Region(backend, groups)] for backend, groups in zip(pair, (one, other), strict=True)))


def membership(space: SpaceModel) -> None:
    """MEM: a region in use has exactly one choice of entries; one without any cannot be used."""
    for region, used in space.regions.items():
        space.model.add(sum(space.chosen[region].values()) == used)


def _roles(space: SpaceModel) -> tuple[set[str], set[str]]:
    spec = space.judge.question.spec
    makers, takers = ({group.name for group in spec.groups_of(role)} for role in ("producer", "consumer"))
    return makers, takers


def applicability(space: SpaceModel) -> None:
    """POL: a split needs its producers, and its consumers, in one megakernel region each; a dynamic one in two."""
    for policy, used in space.policies.items():
        for region, present in space.regions.items():
            if not policy.may_have(region, space.judge.question.spec):
                space.never(used, present)


def support(space: SpaceModel) -> None:
    """POL, LIM, SYN, PAR and EVI: a choice that breaks a rule by itself under a policy is never taken under it."""
    for region, chosen in space.chosen.items():
        for policy, used in space.policies.items():
            if policy.may_have(region, space.judge.question.spec):
                for choice, literal in chosen.items():
                    if space.judge.causes_alone(choice, policy):
                        space.never(literal, used)


def co_residency(space: SpaceModel) -> None:
    """CTA and PAR: both sides of a split are resident together."""
    makers, takers = _roles(space)
    for policy, used in space.policies.items():
        spec = space.judge.question.spec
        standing = [choice for region, chosen in space.chosen.items() if policy.may_have(region, spec) for choice in chosen]
        makes = [choice for choice in standing if policy.is_split and makers <= {*choice.region.groups}]
        takes = [choice for choice in standing if policy.is_split and takers <= {*choice.region.groups}]
        for maker, taker in product(makes, takes):
            if {*maker.region.groups}.isdisjoint(taker.region.groups) and space.judge.causes_together((maker, taker), policy):
                space.never(used, space.chosen[maker.region][maker], space.chosen[taker.region][taker])


def hold(model: cp_model.CpModel, total: Total, terms: Sequence[tuple[int, cp_model.IntVar]]) -> None:
    """Hold the weights of those literals of *terms* that are chosen to the limit of *total*."""
    weights, at_most = total.in_64_bits([weight for weight, _ in terms])
    model.add(cp_model.LinearExpr.weighted_sum([literal for _, literal in terms], weights) <= at_most)


def requirements(space: SpaceModel) -> None:
    """REQ: what the user asks of a sum over all choices, and of entries that meet; of one choice `support` says it."""
    every = [(choice, literal) for chosen in space.chosen.values() for choice, literal in chosen.items()]
    for one in space.judge.constraints:
        match one:
            case Total():
                hold(space.model, one, [(one.weight(choice), literal) for choice, literal in every])
            case Needs():
                for literal in _with_name(every, one.entry):
                    space.model.add_bool_or([literal.negated(), *_with_name(every, one.needs)])
            case Alone():
                for first, second in combinations(one.entries, 2):
                    _never_both(space, _with_name(every, first), _with_name(every, second))


def _with_name(every: Sequence[tuple[Choice, cp_model.IntVar]], name: str) -> list[cp_model.IntVar]:
    return [literal for choice, literal in every if name in names_of(choice)]


def _never_both(space: SpaceModel, these: Sequence[cp_model.IntVar], those: Sequence[cp_model.IntVar]) -> None:
    for one, other in product(these, those):
        space.never(one, other)


FAMILIES: tuple[Callable[[SpaceModel], None], ...] = (acyclicity, membership, applicability, support, co_residency, requirements)


class _Collector(cp_model.CpSolverSolutionCallback):
    """Collects every solution as a candidate and its choices of entries."""

    def __init__(self, space: SpaceModel) -> None:
        super().__init__()
        self._space = space
        self.kept: Kept = {}

    def on_solution_callback(self) -> None:
        """Note one solution."""
        used = {region.groups: region for region, literal in self._space.regions.items() if self.boolean_value(literal)}
        if (ordered := self._space.judge.graph.in_order(used)) is None:
            return
        in_order = [used[groups] for groups in ordered]
        policy = next(policy for policy, literal in self._space.policies.items() if self.boolean_value(literal))
        variant = tuple(self._choice(region) for region in in_order)
        self.kept.setdefault(Candidate(Cover(tuple(in_order)), policy), []).append(variant)

    def _choice(self, region: Region) -> Choice:
        return next(choice for choice, literal in self._space.chosen[region].items() if self.boolean_value(literal))


def enumerated(judge: Judge) -> Kept:
    """Return what `prune` does.

    Raises
    ------
    SolverFault
        If the solver rejects the model or stops before it has enumerated all of it.
    """
    space = SpaceModel(judge)
    for family in FAMILIES:
        family(space)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.enumerate_all_solutions = True
    # An interrupt ends the program, not only the search.
    solver.parameters.catch_sigint_signal = False
    collector = _Collector(space)
    status = solver.solve(space.model, collector)
    if status not in (cp_model.OPTIMAL, cp_model.INFEASIBLE):
        detail = space.model.validate() if status == cp_model.MODEL_INVALID else "it stopped before the space was enumerated"
        raise SolverFault(f"CP-SAT ended as {solver.status_name(status)}: {detail}")
    return {candidate: sorted(variants, key=_variant_order) for candidate, variants in collector.kept.items()}


def _variant_order(variant: Variant) -> tuple[tuple[str, ...], ...]:
    return tuple(choice.entries for choice in variant)
