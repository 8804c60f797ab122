"""Which candidates are feasible: the rules as a CP-SAT model and as plain predicates."""
