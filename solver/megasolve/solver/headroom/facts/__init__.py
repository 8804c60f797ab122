"""What is known of a region before anything is tried: today, floor, and what stands against it."""
