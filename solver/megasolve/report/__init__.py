"""What it looks like: results, explanations and findings as text. Nothing is computed here but how a number is written."""

from typing import TYPE_CHECKING

from megasolve.contracts.doors import open_door as _open_door

if TYPE_CHECKING:
    from .check.failure import failure_line
    from .check.github import check_github, github_summary
    from .check.json import check_json
    from .check.junit import check_junit
    from .check.sarif import check_sarif
    from .check.statistics import check_statistics
    from .check.text import check_text, finding_lines
    from .evaluate.csv import evaluation_csv
    from .evaluate.json import evaluation_json
    from .evaluate.markdown import evaluation_markdown
    from .evaluate.text import evaluation_text
    from .explain.json import explanation_json, unknown_json, why_not_json
    from .explain.text import explanation_text, unknown_text, why_not_text
    from .headroom.csv import headroom_csv
    from .headroom.ending import ending_lines, pointer_lines
    from .headroom.json import headroom_json
    from .headroom.markdown import headroom_markdown
    from .headroom.plan import plan_csv, plan_facts, plan_markdown
    from .headroom.plan import plan_text as build_order_text
    from .headroom.text import headroom_text
    from .measure.runs import launches_text, runs_text
    from .measure.text import measurement_text, plan_text
    from .measure.told import Told, told_json, told_text
    from .profile.json import profiles_json
    from .profile.observation import further_lines, observation_lines, unattributed_lines, unused_lines
    from .profile.scaffold import scaffold_text
    from .profile.tasks import task_lines, task_study_text, tasks_json
    from .profile.text import profile_lines
    from .profile.today import today_lines
    from .schemas import schema_json
    from .solve.csv import solve_csv
    from .solve.json import json_text, solve_json, solved_line, stamp_facts
    from .solve.markdown import solve_markdown
    from .solve.searching import state_line
    from .solve.table import solve_table
    from .sweep.csv import sweep_csv
    from .sweep.json import sweep_json
    from .sweep.markdown import sweep_markdown
    from .sweep.table import sweep_table
    from .sweep.turns import turn_facts, turn_rows, turns_markdown, turns_text
    from .table.csv import table_csv
    from .table.json import table_json
    from .table.text import table_text
    from .text.outside import outside_lines
    from .text.paint import Paint
    from .text.tables import Column, aligned, one_line

__all__ = [
    "Column",
    "Paint",
    "Told",
    "aligned",
    "build_order_text",
    "check_github",
    "check_json",
    "check_junit",
    "check_sarif",
    "check_statistics",
    "check_text",
    "ending_lines",
    "evaluation_csv",
    "evaluation_json",
    "evaluation_markdown",
    "evaluation_text",
    "explanation_json",
    "explanation_text",
    "failure_line",
    "finding_lines",
    "further_lines",
    "github_summary",
    "headroom_csv",
    "headroom_json",
    "headroom_markdown",
    "headroom_text",
    "json_text",
    "launches_text",
    "measurement_text",
    "observation_lines",
    "one_line",
    "outside_lines",
    "plan_csv",
    "plan_facts",
    "plan_markdown",
    "plan_text",
    "pointer_lines",
    "profile_lines",
    "profiles_json",
    "runs_text",
    "scaffold_text",
    "schema_json",
    "solve_csv",
    "solve_json",
    "solve_markdown",
    "solve_table",
    "solved_line",
    "stamp_facts",
    "state_line",
    "sweep_csv",
    "sweep_json",
    "sweep_markdown",
    "sweep_table",
    "table_csv",
    "table_json",
    "table_text",
    "task_lines",
    "task_study_text",
    "tasks_json",
    "today_lines",
    "told_json",
    "told_text",
    "turn_facts",
    "turn_rows",
    "turns_markdown",
    "turns_text",
    "unattributed_lines",
    "unknown_json",
    "unknown_text",
    "unused_lines",
    "why_not_json",
    "why_not_text",
]

_open_door(__name__)
