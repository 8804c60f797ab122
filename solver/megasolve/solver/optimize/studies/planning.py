"""Planning one batch of an opened spec, wherever that is done."""

from __future__ import annotations

from dataclasses import dataclass

from megasolve.contracts import Input, MegasolveError, Study

from ...evidence.derivation import Derivation
from ...goals.where import stated_where
from ...pool.shared import Shared
from ...search.kept import SolverFault
from ..solving import Effort, solve
from .asked import AskedStudies, StudyFailure, Written
from .opening import fault, named


@dataclass(frozen=True, slots=True)
class BatchTask:
    """One *batch* of a *study*, what is asked of it, and who writes the answer."""

    file: str
    study: Shared[Study]
    inputs: tuple[Input, ...]
    batch: int
    key: str
    asked: AskedStudies
    written: Written


@dataclass(frozen=True, slots=True)
class Planned:
    """The answer to a task: a *line*, with what it says of its designs, or a *failure*; *warning* is of the cache of derived times."""

    line: str = ""
    is_feasible: bool = False
    has_findings: bool = False
    failure: StudyFailure | None = None
    warning: str | None = None


def planned(task: BatchTask) -> Planned:
    """Plan one batch; whatever goes wrong is said in what is returned."""
    asked, study = task.asked, task.study.value
    # Whoever does this is one of those who work for the pool already.
    derivation = Derivation(asked.derivation.mechanisms, asked.derivation.cache)
    try:
        result = solve(
            study,
            batches=[task.batch],
            objective=asked.objectives or None,
            where=[stated_where(study, one) for one in asked.where],
            pareto=asked.pareto,
            ablation=asked.ablation,
            derivation=derivation,
            effects=asked.effects,
            effort=Effort(asked.top, asked.seconds, asked.whole),
        )
        line = task.written(result, asked.stamp(task.inputs, task.batch))
    except SolverFault as error:
        return Planned(failure=fault(task.file, error))
    except MegasolveError as error:
        return Planned(failure=StudyFailure(named(task.file, error)))
    except Exception as error:  # noqa: BLE001 - one study never stops the others
        return Planned(failure=fault(task.file, error))
    return Planned(line, result.is_feasible, result.has_findings, None, derivation.cache.warning if derivation.cache else None)
