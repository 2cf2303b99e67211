"""Validation as the API server does it: defaults, structural schema, list types, CEL, metadata.

`read_schemas` finds the CRDs, `validate` checks one object for one spoke's `Server`, and
`check_change` what it may not become. Heavy libraries are behind this package: only commands that
check import it.
"""
