"""What changed between two plans, as text and as JSON."""
