"""What the groups of a spec wait for, and which of them can be a region, as plain code: `check` loads no graph library."""
