"""Would the API server take it: CRD defaults, structural schema, list types, CEL rules, metadata.

`read_schemas` finds the CRDs, `validate` judges one object for one spoke's `Server`, and
`change_faults` what becomes of one that is there. Heavy
libraries are behind this package: only commands that check import it.
"""

from spokerender.judging.validation.crds import Schemas, read_schemas
from spokerender.judging.validation.known import unheard
from spokerender.judging.validation.model import Server
from spokerender.judging.validation.slotted import SlottedObject
from spokerender.judging.validation.transitions import change_faults, has_transitions
from spokerender.judging.validation.validate import validate

__all__ = [
    "Schemas",
    "Server",
    "SlottedObject",
    "change_faults",
    "has_transitions",
    "read_schemas",
    "unheard",
    "validate",
]
