"""Timelines in the form that other tools show."""
