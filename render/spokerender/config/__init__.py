"""Our own files, such as fleet.yaml and placements, as models: only this package uses pydantic.

For a fast start, a project without metapolicies or publishing does not import their models.
"""
