"""Effective policies: the rules in force on each path, those overruled, and the conditions.

`effective` computes them, `find_programmed` sums them up for each policy.
"""
