"""The loop of the tile scheduler on flat tables: plain Python on lists, and the same source compiled on arrays.

What stands here keeps to what `compiled` translates: functions of whole numbers and of their memory, no objects and no exceptions.
"""
