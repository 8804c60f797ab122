"""How a run ends: refusals, interrupts, closed streams."""
