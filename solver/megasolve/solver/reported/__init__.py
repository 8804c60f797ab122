"""What a report shows of a study: its plan, its schedules, how sure it is, what would change it, and what else could be built."""
