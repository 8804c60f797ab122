"""Fields by their paths: what a path names in the files of a study, and the study with other values there."""
