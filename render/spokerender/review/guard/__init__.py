"""The deletion guard: the losses that a change would cause, and their acknowledgements.

The removal of a spoke, of everything on a spoke, of a security policy or of a large part of a tree
has to be acknowledged by name, and so has each consequence that is an error.

The guard compares no paths: `meaning` finds the consequences for requests. Read the modules in this
order: `claims` (losses and acknowledgements), `earlier` (spokes before the change), `delivered` and
`removals` (losses of the fleet), `acknowledging`, `filtering`, `refusals` and `messages` (losses
that nobody acknowledged).
"""
