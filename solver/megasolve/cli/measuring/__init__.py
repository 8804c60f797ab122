"""What the words of `measure` ask for, and what is said of it."""
