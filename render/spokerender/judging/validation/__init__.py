"""Validation as the API server does it: defaults, structural schema, list types, CEL, metadata.

`read_schemas` finds the CRDs, `validate` checks one object for one spoke's `Server`, and
`check_change` what it may not become. Heavy libraries are behind this package: only commands that
check import it.
"""

from spokerender.judging.validation.carried_schemas import check_known_fields
from spokerender.judging.validation.crds import Schemas, Server, read_schemas
from spokerender.judging.validation.objects import SlottedObject, validate
from spokerender.judging.validation.rules import check_change, has_transitions

__all__ = [
    "Schemas",
    "Server",
    "SlottedObject",
    "check_change",
    "check_known_fields",
    "has_transitions",
    "read_schemas",
    "validate",
]
