"""What a user wants of a plan: constraints beside the rules, and objectives in order of priority."""
