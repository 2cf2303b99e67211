"""One comparison of two states of spokes that are alike, under the guard and under the meaning.

Read it in this order: `documents` (objects in files), `views` (one state: its objects, paths and
policies in force) and `successors` (what became of its objects and paths).
"""
