"""Effective policies: the rules in force on each path, those overruled, and the conditions.

`compute_effective_policies` computes them, `find_programmed` sums them up for each policy.
"""
