"""The shapes of results in JSON: what `megasolve schema` prints of them, and what tests hold every result against."""
