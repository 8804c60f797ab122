"""What kernels compute, by the shapes that a trace recorded for the operators that launched them."""
