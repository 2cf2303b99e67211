"""Predicates about requests: how they are compiled, and their answers to requests.

They are compiled as by Kuadrant's operator (v1.5.2, internal/cel).
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import product
from typing import Any

from cel_expr_python import cel
from cel_expr_python.ext import ext_strings

from spokerender.formats.cel.costs import bare
from spokerender.formats.cel.environment import (
    FIELD,
    NotCompiledError,
    UnevaluableError,
    compile_base,
    compile_in,
    evaluate_over,
    evaluate_truth,
)
from spokerender.formats.cel.functions import declare_functions, global_function
from spokerender.formats.cel.syntax import SYNTAX

_PATH = re.compile(rf"({FIELD})\s*(\()?")
_UNPARSED = re.compile(
    rf"{SYNTAX}|reserved identifier: |unsupported syntax |[Ii]nvalid [a-z ]+ literal"
    r"|\w+\(\) (?:argument|variable name) must be "
)
"""Matches errors of the parser, which cel-go has, too (parser.go). Other errors are of the type
checker, or of limits that are ours."""
_OPERAND = re.compile(rf"(?:^|[(!]|\|\||&&)\s*({FIELD})\s*(?=$|\)|\|\||&&)")
_ASKS_PRESENCE = re.compile(r"\bhas\s*\(|\bin\b|\?\.|\[\?")
_TEXT = re.compile(r"'([^'\\]*)'|\"([^\"\\]*)\"")
_WORDS = frozenset({"true", "false", "null", "in"})
_KNOWN = {
    "method": ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
    "scheme": ("http", "https"),
}
# Parts of the names of headers with credentials, which a request does not have here.
_SECRET = re.compile("authorization|cookie|key|token", re.IGNORECASE)
_FRESH, _ABSENT = "a value of which it says nothing", object()
_MOST = 256
"""The largest number of witnesses: a predicate with more of them is not judged."""


def holds_of_witnesses(source: str, *, are_present: bool = False) -> bool:
    """Return whether a predicate is true for all combinations of values of its fields.

    Each field is tried with every literal of the predicate and one other value; a method and a
    scheme with HTTP's values. Fields that not every request has may be absent. With `are_present`
    all fields are present, and a predicate that tests for presence is not judged: the answer is
    False.
    """
    if are_present and _ASKS_PRESENCE.search(source):
        return False
    paths = sorted(set(_list_paths(source)))
    texts = [one or other for one, other in _TEXT.findall(source)]
    domains = [_find_domain(path, texts) for path in paths]
    if are_present:
        flags = {path for text in _OPERAND.findall(source) for path in _list_paths(text)}
        domains = [
            (True, False) if path in flags else tuple(v for v in domain if v is not _ABSENT)
            for path, domain in zip(paths, domains, strict=True)
        ]
    count = 1
    for domain in domains:
        count *= len(domain)
    if not paths or count > _MOST:
        return False
    try:
        program = compile_base(source, tuple(sorted({path[0] for path in paths})))
        program.check("")
        return all(
            evaluate_over(program.expression, _make_data(paths, values)) is True
            for values in product(*domains)
        )
    except UnevaluableError:  # what fails is refused
        return False


def find_truth_of(source: str, request: Mapping[str, Any]) -> bool | None:
    """Return a predicate's truth for the fields in `request`; None if it reads others, or fails."""
    paths = [*_list_paths(bare(source))]
    is_known = all(path[0] == "request" and {*path[1:2]} & {*request} for path in paths)
    if not (paths and is_known) or _SECRET.search(source):
        return None
    return evaluate_truth(source, {"request": request})


def _list_paths(source: str) -> Iterator[tuple[str, ...]]:
    """Yield the fields that a predicate reads, as far as they are spelled out."""
    for text, called in _PATH.findall(source):
        steps = tuple(re.findall(r"'[^']*'|\"[^\"]*\"|\w+", text))
        path = tuple(step.strip("'\"") for step in steps[: -1 if called else None])
        if path and path[0] not in _WORDS:
            yield path


def _find_domain(path: tuple[str, ...], texts: list[str]) -> tuple[Any, ...]:
    if path[-1] in _KNOWN:
        return _KNOWN[path[-1]]
    if path[-1] == "path":
        return (*dict.fromkeys((*(one for one in texts if one.startswith("/")), f"/{_FRESH}")),)
    own = (*dict.fromkeys((*texts, _FRESH)),)
    is_always_there = path[0] == "request" and len(path) == len(("request", "path"))
    return own if is_always_there else (*own, False, _ABSENT)


def _make_data(paths: list[tuple[str, ...]], values: tuple[Any, ...]) -> dict[str, Any]:
    data: dict[str, Any] = {path[0]: {} for path in paths}
    for path, value in zip(paths, values, strict=True):
        inside = data
        for step in path[:-1]:
            inside = inside.setdefault(step, {})
            if not isinstance(inside, dict):
                break
        else:
            if value is not _ABSENT:
                inside[path[-1]] = value
    return data


_FUNCTIONS = tuple(
    global_function(name, "string", "dyn", str) for name in ("requestBodyJSON", "responseBodyJSON")
)


@lru_cache(maxsize=4096)
def explain_predicate(source: str, names: tuple[str, ...]) -> str:
    """Return why a predicate over these names is refused; empty if it is valid."""
    try:
        compile_in(lambda: _environment(names), source)
    except NotCompiledError as error:
        return str(error)
    except UnevaluableError:
        pass  # it may be right
    return ""


def is_cel(source: str) -> bool:
    """Return whether a text can be parsed as CEL, whatever its names mean."""
    return _UNPARSED.match(explain_predicate(source, ())) is None


@cache
def _environment(names: tuple[str, ...]) -> cel.Env:
    return cel.NewEnv(
        variables=dict.fromkeys(names, cel.Type.DYN),
        extensions=[ext_strings.ExtStrings()],
        functions=declare_functions(_FUNCTIONS),
    )
