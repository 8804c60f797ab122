"""From CUDA C++ to cubins, and what the compiler says of them."""
