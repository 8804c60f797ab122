"""Rules for the groups of a spec, the edges between them, and the regions that they make."""
