"""What changed between two plans of the same study."""
