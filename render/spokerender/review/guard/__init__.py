"""The deletion guard: what a change of the tree would lose, and whether that is acknowledged.

The removal of a spoke, of everything on a spoke, of a security policy or of what it protects, and
of a large part of a tree has to be acknowledged by name.

What is lost on paths is what `comparison.asked` finds there, of which review tells as well. Read it
in this order: `losses`, `earlier` (objects as they were), `targets`, `protection` and `spoke` (what
one spoke loses), `delivered` and `removals` (what the fleet loses), `claims` and `acknowledging`
(what somebody acknowledged), `refusals` and `messages` (what nobody did).
"""
