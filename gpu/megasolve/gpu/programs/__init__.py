"""What a persistent kernel executes: instructions, where they read and write, and the proof that a program is sound."""
