"""Kuadrant's plugin in a Gateway, as wasm-shim v0.14.1 looks through its action sets with CEL."""

from functools import cache
from typing import Any

from cel_expr_python import cel
from cel_expr_python.ext import ext_strings

from spokerender.topology.matches import Request

Json = dict[str, Any]
FAILS = "500"
QUERY = "queryMap(request.query)"
"""The function that the operator writes, and that no release of wasm-shim from 0.12 on declares."""


@cache
def _compile(predicate: str) -> Any:
    """A predicate that can be asked; None where it names a function that is not there."""
    kinds = cel.Type.Map(cel.Type.STRING, cel.Type.DYN)
    environment = cel.NewEnv(variables={"request": kinds}, extensions=[ext_strings.ExtStrings()])
    program = environment.compile(predicate.replace(QUERY, "request.query"))
    return None if QUERY in predicate else program


def find_set(sets: list[Json], request: Request) -> Json | str | None:
    """The action set that wasm-shim takes for a request (src/kuadrant/pipeline/factory.rs)."""
    by_hostname: dict[str, list[Json]] = {}
    for one in sets:
        try:
            [*map(_compile, one["routeRuleConditions"].get("predicates", ()))]
        except Exception:  # noqa: BLE001  (whatever the library says: the plugin refuses it all)
            return FAILS
        by_hostname.setdefault(one["routeRuleConditions"]["hostnames"][0], []).append(one)
    reversed_host = f"${request.host}."[::-1]
    keys = {
        name: (f"{name[1:]}." if name.startswith("*") else f"${name}.")[::-1]
        for name in by_hostname
    }
    above = [name for name, key in keys.items() if reversed_host.startswith(key)]
    if not above:
        return None
    for one in by_hostname[max(above, key=lambda name: len(keys[name]))]:
        verdicts = (
            holds(each, request) for each in one["routeRuleConditions"].get("predicates", ())
        )
        verdict = next((each for each in verdicts if each is not True), True)
        if verdict is not False:
            return one if verdict is True else FAILS
    return None


def holds(predicate: str, request: Request) -> bool | None:
    """Tell whether a predicate holds of a request; None if the plugin can't ask it."""
    program = _compile(predicate)
    values = {
        "url_path": request.path,
        "path": request.target,
        "host": request.authority,
        "method": request.method,
        "headers": dict(request.headers),
    }
    return None if program is None else program.eval(data={"request": values}).value() is True
