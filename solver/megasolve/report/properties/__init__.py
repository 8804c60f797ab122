"""What every property of a file means, with an example: what editors show. A module for each kind of file, a table for each section."""
