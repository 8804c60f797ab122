"""What ran when on a device: launches, the gaps between them, occurrences of a step, what ran beside what."""
