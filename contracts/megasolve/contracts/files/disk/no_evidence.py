"""Files beside evidence that are none: no search and no wildcard of a spec takes them for records."""

REFUSED_SAMPLES = "refused.jsonl"
"""Samples that broke a rule of acceptance, with the verdict, beside the records that were accepted."""
