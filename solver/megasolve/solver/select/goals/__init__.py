"""Several times of one plan: what orders plans, what keeps all of them out, and the front between two times."""
