"""The occurrences of each group, and the waits that no launch costs."""
