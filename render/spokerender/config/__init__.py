"""Our own files, fleet.yaml and the placement, as checked models: the only door to pydantic.

Start-up counts: a project without metapolicies or publishing imports no models of theirs.
"""
