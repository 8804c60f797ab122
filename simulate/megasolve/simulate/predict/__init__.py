"""From a composition to its score: launches in order, event graphs, steady cycles, critical paths."""
