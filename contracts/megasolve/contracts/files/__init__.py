"""How files become values with places: text, YAML and JSON lines, schemas, and the files that a spec leads to."""
