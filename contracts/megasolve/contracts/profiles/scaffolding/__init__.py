"""From an observation to the files of a study."""
