"""Plans held against measurements: who won, whom the planner named, and how sure either is."""
