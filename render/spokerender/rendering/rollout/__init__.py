"""The rollout: groups of spokes, the waves that a strategy makes of them, and how far it is.

Nothing of it is imported for a project without `spec.rollout`.
"""
