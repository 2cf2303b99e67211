"""The deletion guard: what a change of the tree would lose, and whether that is acknowledged.

The removal of a spoke, of everything on a spoke, of a security policy or of a large part of a tree
has to be acknowledged by name, and so has each consequence that is an error.

What a change means for requests is told by `meaning`: the guard compares no paths. Read it in this
order: `claims` (losses, and what somebody acknowledges), `earlier` (spokes as they were),
`delivered` and `removals` (what the fleet loses), `acknowledging`, `filtering`, `refusals` and
`messages` (what nobody acknowledged).
"""
