"""What a trace is made of: what stands before, in and after its steps, and which kernels of a step repeat as its layers."""
