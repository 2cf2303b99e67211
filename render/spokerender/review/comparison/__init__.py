"""The comparison of two states of equal spokes, which the guard and the consequences both use.

Read the modules in this order: `documents` (objects in files), `views` (one state of equal spokes:
objects, paths and effective policies), `states` (one state of a fleet), `overlay` (sets of
requests, and the rules that serve them in both states), `successors` (the new names of objects, and
the rules that serve the requests of earlier rules), `policies` (effective policies on the paths of
both states) and `asked` (restrictions that become stricter, weaker or are removed).
"""
