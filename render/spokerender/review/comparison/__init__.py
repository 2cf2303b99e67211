"""One comparison of two states of spokes that are alike, under the guard and under the meaning.

Read it in this order: `documents` (objects in files), `views` (one state of spokes that are alike:
objects, paths and policies in force), `states` (that of a fleet), `overlay` (requests that are
alike in both states, and the rules that take them), `successors` (what objects are called
afterwards, and the rules that take over from others), `policies` (what is in force on paths of both
states) and `asked` (what becomes stricter or weaker there, or is lost).
"""
