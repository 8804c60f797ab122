"""The stream of a plan: whether its sound goes on, how many requests it serves, and what of that is a finding."""
