"""Our own files, fleet.yaml and the placement, as checked models: the only door to pydantic.

Start-up counts. A project without metapolicies or publishing imports no models of theirs, and the
modules that have models do not postpone their annotations: pydantic would have to evaluate them.
"""
