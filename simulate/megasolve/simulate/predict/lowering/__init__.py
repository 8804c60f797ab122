"""From a composition to its event graph."""
