"""The rollout: groups of spokes, the waves in which a strategy releases them, and its state.

None of it is imported for a project without `spec.rollout`.
"""
