"""What kinds of operators of one family have in common: their sizes, what contradicts what, and the work that they share."""
