"""What is declared and observed, as frozen values: specs, devices, contracts, records, and what is found wrong with them."""
