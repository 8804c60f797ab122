"""Kineto traces: what PyTorch, vLLM and SGLang write, of every age."""
