"""What makes a profile no evidence."""
