"""One comparison of two states of spokes that are alike, under the guard and under the meaning.

Read it in this order: `documents` (objects in files), `views` (one state of spokes that are alike:
objects, paths and policies in force), `states` (that of a fleet) and `successors` (what became of
objects and paths).
"""
