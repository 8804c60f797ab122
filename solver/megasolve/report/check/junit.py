"""Findings as JUnit XML: a test case per file with findings, a failure per error, an error per unreadable file."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from megasolve.contracts.model.wording import counted

from ..text.tables import one_line
from .text import counts, further_line, is_error

if TYPE_CHECKING:
    from megasolve.contracts import CheckReport, Finding


def check_junit(report: CheckReport) -> str:
    """Return the report as JUnit XML. Warnings are output of their case, not failures."""
    errors, _ = counts(report)
    suites = ET.Element("testsuites")
    suite = ET.SubElement(suites, "testsuite", name="megasolve check", failures=str(errors), skipped="0")
    suite.set("errors", str(len(report.unreadable)))
    for unreadable in report.unreadable:
        message = one_line(unreadable.reason)
        ET.SubElement(_case(suite, unreadable.path), "error", message=message, type="unreadable").text = one_line(str(unreadable))
    files = 0
    for file, findings in groupby(report.findings, key=lambda finding: finding.place.file):
        files += 1
        _fill(_case(suite, file), list(findings))
    if report.further:
        ET.SubElement(_case(suite, "further findings"), "failure", message=further_line(report.further), type="further")
    if clean := report.files_checked - files:
        ET.SubElement(suite, "testcase", classname="megasolve.check", name=f"{counted(clean, 'file')} without findings")
    suite.set("tests", str(len(suite)))
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'


def _case(suite: ET.Element, file: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname="megasolve.check", name=one_line(file), file=one_line(file))


def _fill(case: ET.Element, findings: list[Finding]) -> None:
    for finding in filter(is_error, findings):
        message = one_line(f"{finding.rule.code} {finding.message}")
        failure = ET.SubElement(case, "failure", message=message, type=f"{finding.rule.code} {finding.rule.name}")
        failure.text = one_line(str(finding))
    warnings = [one_line(str(finding)) for finding in findings if not is_error(finding)]
    if warnings:
        ET.SubElement(case, "system-out").text = "\n".join(warnings)
