"""Kinds: the facts about each, as rows of `kinds.table`, and what objects name by these facts.

Pure: no I/O, and odd data raises nothing. Import from the module that has what you need.
"""
