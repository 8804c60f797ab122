"""What a search chooses from: the arcs of every policy, and what each of them costs."""
