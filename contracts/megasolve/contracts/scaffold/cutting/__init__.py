"""From the anatomy of a trace to the groups of a new study."""
