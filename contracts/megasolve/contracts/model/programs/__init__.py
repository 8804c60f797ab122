"""What a contract declares of the work of one call: operators, and the symbols in their sizes."""
