"""What the hardware says: the only package that talks to CUDA."""
