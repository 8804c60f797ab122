"""What the best design with a region scores, as a function of its time, and where that crosses the baseline."""
