"""The loop of the tile scheduler on flat tables: plain Python on lists, and the same source compiled on arrays.

What stands here keeps to what numba compiles: functions over whole numbers and sequences of them, no objects and no exceptions.
"""
