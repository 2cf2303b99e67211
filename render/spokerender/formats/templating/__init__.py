"""Jinja2 expressions in short values, and Jinja2 files for delivery: the only door to jinja2.

jinja2 is imported when something needs it: a value that only looks names up does not.
"""
