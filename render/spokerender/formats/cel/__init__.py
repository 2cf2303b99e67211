"""CEL as the API server evaluates it in CRDs: the only package that imports the CEL library.

An expression that needs something missing here has no answer (`UnevaluableError`): `find` and
`findAll` (there is no linear-time search), `semver`, and times in objects, which are texts here.
`format.*.validate` returns a list or null where Kubernetes returns an optional.
"""

from spokerender.formats.cel.environment import (
    Binding as Binding,
    Failure as Failure,
    NoOverloadError as NoOverloadError,
    NotCompiledError as NotCompiledError,
    Program as Program,
    UnevaluableError as UnevaluableError,
    bind as bind,
    bind_change as bind_change,
    check_expression as check_expression,
    compile_rule as compile_rule,
    computed as computed,
    constant_of as constant_of,
    escaped as escaped,
    matches_all as matches_all,
    matches_pattern as matches_pattern,
)
from spokerender.formats.cel.named import format_fault as format_fault
