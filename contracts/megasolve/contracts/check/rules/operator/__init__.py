"""Rules for the operators of contracts: as written, at the values of their symbols, and on a device."""
