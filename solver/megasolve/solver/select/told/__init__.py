"""What is said beside a score, and never enters it: what it assumes, and what was measured of the same."""
