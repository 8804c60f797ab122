"""Event graphs and their exact simulation (paper, Algorithm 1)."""
