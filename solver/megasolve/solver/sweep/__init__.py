"""Sweeps: how the answer changes from batch to batch and with a field, and what each megakernel saves and costs on the way."""
