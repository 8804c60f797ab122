"""YAML and JSON lines as trees whose every value knows its place."""
