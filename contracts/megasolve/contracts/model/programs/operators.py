"""Operators: what one call of a group executes, as blocks of operators with shapes, tiles and dependencies (paper, section IV-B)."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Literal, Self, TypeAlias

from pydantic import ConfigDict, Field, WithJsonSchema, WrapValidator

from ...operators.kinds import OPERATOR_KINDS
from ...operators.library import LIBRARY_TILES
from ..base import Bytes, CostPs, Count, CountOrZero, DurationPs, Frozen, Name, Relative
from .keys import schema_of_keys
from .reshaped import by_kind, one_or_many
from .symbols import Extent

if TYPE_CHECKING:
    ShapedKind: TypeAlias = str
else:
    ShapedKind = Literal[tuple(OPERATOR_KINDS)]
Pattern = Literal["all", "same", "rows", "columns"]
HandOff = Literal["counter", "flag", "shared"]
Tensors = Literal["weights", "activations"]

_LEAST_EFFICIENCY = Decimal("0.0001")
_US_SCHEMA = {"type": "number", "minimum": 0}
_SIZE_SCHEMA = {"type": "integer", "minimum": 0}


def _series(single: Mapping[str, object], description: str) -> WithJsonSchema:
    return WithJsonSchema({"anyOf": [dict(single), {"type": "array", "items": dict(single), "minItems": 1}], "description": description})


_AT_LEAST_ONE = Field(min_length=1)
Times = Annotated[tuple[CostPs, ...], _AT_LEAST_ONE, WrapValidator(one_or_many), _series(_US_SCHEMA, "microseconds: one figure, or a list")]
Sizes = Annotated[tuple[Bytes, ...], _AT_LEAST_ONE, WrapValidator(one_or_many), _series(_SIZE_SCHEMA, "bytes: one figure, or a list")]


class Dependency(Frozen):
    """What an operator waits for: *operator*, in whole or only the tiles that overlap its own by *pattern*.

    `all` waits for every tile, `same` for the tile with the same number (equal grids), `rows` and `columns` for the tiles
    whose rows or columns overlap those that a tile reads. With *previous* it is the operator of the repeat before. *hand_off* says how
    a tile learns that its data is there: by a counter in global memory, by the data itself (its own flag), or in shared memory of one SM.
    """

    operator: Name
    pattern: Pattern = "all"
    previous: bool = False
    hand_off: HandOff = "counter"


class LimitedTime(Frozen):
    """The compute time of a tile in a build with *registers* registers per thread; only the one at the entry's limit counts."""

    registers: Count
    compute_ps: CostPs = Field(alias="compute_us")


class _Waiting(Frozen):
    """What every operator declares: its *name*, what it waits for, and whether its output stays on chip.

    *waits* is how many synchronization costs a tile pays, by default one per counter that it waits for.
    """

    name: Name
    after: tuple[Dependency, ...] = ()
    forwarded: bool = False
    waits: CountOrZero | None = None


class ShapedOperator(_Waiting):
    """An operator whose bytes and flops follow from its *shape*.

    *tile* lists the geometries that exist of it; *compute_ps* and *staging_bytes* give one figure for all of them or one
    each. Without a time a tile takes its flops at the device's dense rate per worker, times *efficiency*.
    *reread* names the tensors that every tile loads for itself instead of sharing one pass over them. With *library* the tiles are those
    that libraries have, and of them the one counts that ends first on the workers; a *tile* beside it is what it has otherwise. A
    *pipelined* tile computes on what has come of its load, as those of libraries do.
    """

    model_config = ConfigDict(json_schema_extra=schema_of_keys())

    kind: ShapedKind
    shape: Mapping[str, Extent]
    tile: tuple[Mapping[str, Count], ...] = ()
    element_bytes: CountOrZero = 2
    weight_element_bytes: CountOrZero | None = None
    state_element_bytes: CountOrZero | None = None
    bias: bool = False
    reread: tuple[Tensors, ...] = ()
    staging_bytes: Sizes | None = None
    compute_ps: Times | None = Field(None, alias="compute_us")
    compute_at: tuple[LimitedTime, ...] = ()
    efficiency: Annotated[Relative, Field(ge=_LEAST_EFFICIENCY)] | None = None
    library: bool = False
    pipelined: bool = False

    @property
    def geometries(self) -> tuple[Mapping[str, int], ...]:
        """The geometries that there are of it; none where its output is a single tile."""
        return LIBRARY_TILES if self.library else self.tile

    @property
    def as_stated(self) -> Self:
        """The operator in its own tiles, where it states some beside those of a library."""
        return self.model_copy(update={"library": False}) if self.library and self.tile else self

    @property
    def by_library(self) -> Self:
        """The operator in tiles of a library, if it has any: what it states of its own tile does not count for those."""
        if not self.library or not self.tile:
            return self
        return self.model_copy(update={"tile": (), "efficiency": None, "staging_bytes": None, "compute_ps": None, "compute_at": ()})


class ExplicitOperator(_Waiting):
    """*tiles* tiles with stated time and bytes: one figure for all of them, or a list with one each."""

    kind: Literal["explicit"]
    tiles: Extent
    compute_ps: Times | None = Field(None, alias="compute_us")
    compute_at: tuple[LimitedTime, ...] = ()
    weight_bytes: Sizes = (0,)
    activation_bytes: Sizes = (0,)
    output_bytes: Sizes = (0,)
    staging_bytes: Sizes | None = None


class OpaqueOperator(_Waiting):
    """A kernel without tiles: a grid of CTAs that took *duration_ps* where *resident_ctas* of them ran at a time.

    It takes all workers, with barriers on both sides; on fewer workers it slows by whole waves (paper, Table I).
    """

    kind: Literal["opaque"]
    grid_ctas: Extent
    duration_ps: DurationPs = Field(alias="duration_us")
    hbm_bytes: Extent
    resident_ctas: Count


Operator = Annotated[
    ShapedOperator | ExplicitOperator | OpaqueOperator,
    Field(discriminator="kind"),
    WrapValidator(by_kind),
]


class Block(Frozen):
    """Operators in program order, executed *repeat* times one after the other: a layer, a codebook."""

    repeat: Extent = 1
    operators: Annotated[tuple[Operator, ...], Field(min_length=1)]


Program = tuple[Block, ...]
