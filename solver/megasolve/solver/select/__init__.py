"""From feasible candidates to a ranking."""
