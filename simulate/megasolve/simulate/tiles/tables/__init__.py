"""A tile program on a machine as flat tables, and how they are laid out for the kernel."""
