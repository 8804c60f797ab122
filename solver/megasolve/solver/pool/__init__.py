"""Independent work on all cores."""
