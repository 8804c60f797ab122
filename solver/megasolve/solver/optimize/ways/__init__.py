"""Ways: covers as ways through the arcs of a space, with the paths that bound them, their names and their numbers."""
