"""Names for contracts, the types that kernel names say, and the text of the files that are written."""
