"""Jinja2 expressions in short values, and Jinja2 files for delivery; only this package uses jinja2.

jinja2 is imported when it is needed; a value that only looks up names does not need it.
"""
