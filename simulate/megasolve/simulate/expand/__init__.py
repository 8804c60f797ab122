"""From the operators of a contract to the tiles of a program."""
