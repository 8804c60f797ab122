"""Where the steps of a run begin: by marks, by a period, or as a whole."""
