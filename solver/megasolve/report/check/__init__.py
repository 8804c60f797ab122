"""What `check` found in each of its forms."""
