"""What a device can hold: launches, budgets, partitions and pairs of entries."""
