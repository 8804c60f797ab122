"""What lies on disk: projects and what a pattern finds in them, whole files, the folder of the cache, this program."""
