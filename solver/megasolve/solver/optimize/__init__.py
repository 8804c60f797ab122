"""The K best designs of a space that is too large to rank: CP-SAT minimises the bound, exact simulation judges."""
