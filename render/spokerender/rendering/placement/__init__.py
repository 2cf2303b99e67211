"""Placement: which gateway goes to which spokes, and as what.

A source turns documents of its own kinds into what they declare. To add one, write a module beside
`static` and add its row to `sources.SOURCES`.
"""
