"""What runs when: the schedule of a candidate, node by node, as a picture of it needs it."""
