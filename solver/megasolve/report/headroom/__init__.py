"""The headroom of a spec as text, JSON, CSV and Markdown."""
