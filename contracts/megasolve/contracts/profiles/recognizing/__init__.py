"""What a file is, by its content."""
