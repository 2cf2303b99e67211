"""CEL as the API server evaluates it in CRDs: the only door to the library that knows the language.

What Kubernetes offers and this environment can't is told (`Unevaluable`), never passed over:
`find` and `findAll` (no linear-time search is at hand), `semver`, and times in objects, which are
texts here. What `format.*.validate` gives is a list or null where Kubernetes has an optional.
"""

from spokerender.formats.cel.environment import (
    Binding,
    Failure,
    NoOverloadError,
    NotCompiledError,
    Program,
    UnevaluableError,
    bind,
    bind_change,
    check_expression,
    compile_rule,
    computed,
    constant_of,
    escaped,
    matches_pattern,
)
from spokerender.formats.cel.named import format_fault

__all__ = [
    "Binding",
    "Failure",
    "NoOverloadError",
    "NotCompiledError",
    "Program",
    "UnevaluableError",
    "bind",
    "bind_change",
    "check_expression",
    "compile_rule",
    "computed",
    "constant_of",
    "escaped",
    "format_fault",
    "matches_pattern",
]
