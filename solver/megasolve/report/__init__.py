"""What it looks like: results, explanations and findings as text. Nothing is computed here but how a number is written."""

from .explain_json import explanation_json, unknown_json, why_not_json
from .explain_text import explanation_text, unknown_text, why_not_text
from .findings_json import check_json
from .findings_text import check_text, finding_lines
from .github import check_github, github_summary
from .junit import check_junit
from .measurement_text import measurement_text, plan_text
from .observation_text import observation_lines, unattributed_lines, unused_lines
from .outside_text import outside_lines
from .paint import Paint
from .profile_json import profiles_json
from .profile_text import profile_lines
from .runs_text import launches_text, runs_text
from .sarif import check_sarif
from .scaffold_text import scaffold_text
from .schemas import schema_json
from .solve_csv import solve_csv
from .solve_json import json_text, solve_json
from .solve_markdown import solve_markdown
from .solve_table import solve_table
from .table_csv import table_csv
from .table_json import table_json
from .table_text import table_text
from .tables import Column, aligned, one_line

__all__ = [
    "Column",
    "Paint",
    "aligned",
    "check_github",
    "check_json",
    "check_junit",
    "check_sarif",
    "check_text",
    "explanation_json",
    "explanation_text",
    "finding_lines",
    "github_summary",
    "json_text",
    "launches_text",
    "measurement_text",
    "observation_lines",
    "one_line",
    "outside_lines",
    "plan_text",
    "profile_lines",
    "profiles_json",
    "runs_text",
    "scaffold_text",
    "schema_json",
    "solve_csv",
    "solve_json",
    "solve_markdown",
    "solve_table",
    "table_csv",
    "table_json",
    "table_text",
    "unattributed_lines",
    "unknown_json",
    "unknown_text",
    "unused_lines",
    "why_not_json",
    "why_not_text",
]
