"""In which order to build what is only assumed."""
