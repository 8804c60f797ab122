"""Streamlet, the model that the kernels make: its sizes, tensors, operands, contracts and reference."""
