"""CEL as Kuadrant's operator compiles predicates of requests (v1.5.2, internal/cel)."""

from functools import cache, lru_cache

from cel_expr_python import cel
from cel_expr_python.ext import ext_strings

from spokerender.formats.cel.environment import NotCompiledError, UnevaluableError, compile_in
from spokerender.formats.cel.functions import global_function
from spokerender.formats.cel.overloads import declare_functions

_FUNCTIONS = tuple(
    global_function(name, "string", "dyn", str) for name in ("requestBodyJSON", "responseBodyJSON")
)


@lru_cache(maxsize=4096)
def explain_predicate(source: str, names: tuple[str, ...]) -> str:
    """Say why a predicate of these names is refused; empty where it is not."""
    try:
        compile_in(lambda: _environment(names), source)
    except NotCompiledError as error:
        return str(error)
    except UnevaluableError:
        pass  # it may be right
    return ""


@cache
def _environment(names: tuple[str, ...]) -> cel.Env:
    return cel.NewEnv(
        variables=dict.fromkeys(names, cel.Type.DYN),
        extensions=[ext_strings.ExtStrings()],
        functions=declare_functions(_FUNCTIONS),
    )
