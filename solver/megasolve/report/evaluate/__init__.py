"""What an evaluation looks like."""
