"""Spokes as they were exported, held against what their trees say."""
