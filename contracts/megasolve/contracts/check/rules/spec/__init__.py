"""Rules for specs: what one says of itself, and how kernels of profiles find their groups in it."""
