"""Placement: which gateway is placed on which spokes, and with which changes.

A source turns documents of its own kinds into declarations. To add a source, write a module beside
`static`, and add its row to `sources.SOURCES`.
"""
