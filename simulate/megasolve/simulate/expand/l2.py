"""What stays in L2 from one use to the next, by a stated rule on bytes: what is touched in between has to fit.

The paper does not model L2 (a tensor passes the queue once per execution); where a contract says `stays_in_l2`, this does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from megasolve.contracts.model.contract import Contract

from .edges import OperatorEdge, Plan, Reach
from .setup import Conditions


@dataclass(frozen=True, slots=True)
class KeptInL2:
    """What of one call stays in an L2 of *l2_bytes*: its *weights*, from the call before, and, where *activations* do, inputs by the rule.

    By operator of *plan*, *touched* are the bytes of all its tensors but the inputs that operators before it have written: each tensor is
    counted where it is first touched. Where the entry *forwards*, what an operator hands on stays on chip, and none of it is in L2.
    """

    plan: Plan
    weights: bool = False
    activations: bool = False
    touched: tuple[int, ...] = ()
    l2_bytes: int = -1
    forwards: bool = True

    def input_bytes(self, consumer: int, edges: Sequence[OperatorEdge], repeat: int) -> int:
        """Return how many bytes the *consumer* finds in L2 of the outputs that its *edges* bring to it in a *repeat*."""
        if not self.activations:
            return 0
        found = {edge.producer for edge in edges if self._between(consumer, edge, repeat) <= self.l2_bytes}
        producers = [self.plan.operators[number] for number in sorted(found)]
        return sum(one.work.output_bytes for one in producers if not (self.forwards and one.operator.forwarded))

    def _between(self, consumer: int, edge: OperatorEdge, repeat: int) -> int:
        """Return what is touched from the begin of the producer to the end of the consumer."""
        if edge.reach is Reach.HERE:
            return self._sum(range(edge.producer, consumer + 1))
        own = self.plan.blocks[self.plan.block_number(consumer)]
        if edge.reach is Reach.BEFORE:
            return self._sum(range(edge.producer, own.stop)) + self._sum(range(own.start, consumer + 1))
        # A later repeat finds it as the repeat before has left it: a whole repeat has been touched since.
        if repeat > 1:
            return self._sum(own)
        number = self.plan.block_number(edge.producer)
        between = zip(self.plan.blocks[number + 1 :], self.plan.repeats[number + 1 :], strict=True)
        passed = sum(times * self._sum(block) for block, times in between if block.stop <= own.start)
        return self._sum(range(edge.producer, self.plan.blocks[number].stop)) + passed + self._sum(range(own.start, consumer + 1))

    def _sum(self, operators: range) -> int:
        return sum(self.touched[number] for number in operators)


def staying_of(contract: Contract, plan: Plan, conditions: Conditions, others: Sequence[Plan] = ()) -> KeptInL2:
    """Return what of a call of *contract* stays in L2; nothing where it does not say so, or nobody states how large that is.

    *others* are the plans of the other members, whose calls come between two of this one.
    """
    if not counts_on_l2(contract, conditions):
        return KeptInL2(plan)
    l2_bytes, works = conditions.rates.l2_bytes or 0, [sized.work for sized in plan.operators]
    written = [sum(works[one].output_bytes for one in {edge.producer for edge in edges}) for edges in plan.declared]
    return KeptInL2(
        plan,
        weights="weights" in contract.stays_in_l2 and _touched_by_calls((plan, *others)) <= l2_bytes,
        activations="activations" in contract.stays_in_l2,
        touched=tuple(
            work.weight_bytes + work.state_bytes + work.output_bytes + max(work.activation_bytes - before, 0)
            for work, before in zip(works, written, strict=True)
        ),
        l2_bytes=l2_bytes,
        forwards=conditions.mechanisms.forwarding,
    )


def counts_on_l2(contract: Contract, conditions: Conditions) -> bool:
    """Whether anything of a call of *contract* can stay in L2: it says so, the mechanism is on, and the size is known."""
    return bool(contract.stays_in_l2) and conditions.mechanisms.l2 and conditions.rates.l2_bytes is not None


def _touched_by_calls(plans: Sequence[Plan]) -> int:
    """Return what has to fit so that weights stay from one call to the next: all weights and states, and the largest inputs and outputs.

    Operators write where others before them have, so no more activations than those of one of them are there at a time.
    """
    lasting = sum(
        times * (plan.operators[number].work.weight_bytes + plan.operators[number].work.state_bytes)
        for plan in plans
        for block, times in zip(plan.blocks, plan.repeats, strict=True)
        for number in block
    )
    works = (sized.work for plan in plans for sized in plan.operators)
    return lasting + max((work.activation_bytes + work.output_bytes for work in works), default=0)
