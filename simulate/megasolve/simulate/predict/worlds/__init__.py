"""Scores in many worlds at once: the same design where its services take other times, as arrays, in floats."""
