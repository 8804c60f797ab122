"""Checking: every rule over every file, and the report of what was found."""
