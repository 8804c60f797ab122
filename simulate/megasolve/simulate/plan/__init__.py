"""What can be chosen, what it launches, and what each choice needs."""
