"""What a profile holds, and what was made of it."""
