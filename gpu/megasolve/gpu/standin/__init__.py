"""The stand-in for the hardware: the same kernels on the CPU, behind a double of the driver."""
