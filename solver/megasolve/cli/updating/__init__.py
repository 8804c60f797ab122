"""Adding profiles to a study that is there."""
