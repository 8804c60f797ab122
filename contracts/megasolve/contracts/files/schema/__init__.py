"""From a tree to a model: units and spelling, and errors at the place of the fault."""
