"""Validation as the API server does it: defaults, structural schema, list types, CEL, metadata.

`read_schemas` finds the CRDs, `validate` checks one object for one spoke's `Server`, and
`check_change` checks a change of an object. The package imports heavy libraries, so only commands
that validate import it.
"""
