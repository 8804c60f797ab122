"""What is measured: times of calls, pairs side by side, whole compositions, and the guards against deaf kernels."""
