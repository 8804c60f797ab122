"""Rules for what a spec leads to: contracts that fit it, and entries that stand beside each other."""
