"""TensorRT: what `trtexec` exports."""
