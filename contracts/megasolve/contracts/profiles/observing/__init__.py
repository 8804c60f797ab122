"""From executions to what each group does in a step."""
