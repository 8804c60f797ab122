"""Files of results that grow line by line, and lose nothing that was finished."""
