"""Runs of whole candidates as somebody timed them: measured files of ours, and tables of other tools by the names of their columns."""
