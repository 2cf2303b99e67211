"""CEL as OCM's placement evaluates it over clusters: a second environment beside that of CRDs.

Source: open-cluster-management-io/sdk-go 3ea63fbc98a7, `pkg/cel`; functions as in k8s.io/apiserver,
`library`. A semantic version is a text here, marked, because quantities are texts as well and
share names of functions with it. `find` and `findAll` are declared, and cannot be evaluated.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any, NoReturn

from cel_expr_python import cel
from cel_expr_python.ext import ext_optional
from msgspec import Struct

from spokerender.formats.cel.addresses import ADDRESS_FUNCTIONS
from spokerender.formats.cel.costs import iterations
from spokerender.formats.cel.environment import (
    NOT_HERE,
    Binding,
    Failure,
    NoOverloadError,
    Program,
    compile_in,
    declare_functions,
)
from spokerender.formats.cel.functions import (
    LIST_FUNCTIONS,
    QUANTITY_FUNCTIONS,
    STRING_FUNCTIONS,
    CelValue,
    Function,
    charge_text,
    global_function,
    member,
)

VARIABLE = "managedCluster"
_BEGINNING = 10
"""The steps that an evaluation takes without a loop."""
FindScores = Callable[[str, str], list[dict[str, Any]] | None]
"""Returns the scores of an AddOnPlacementScore, by its namespace and name; None if it is absent."""
_MARK = "\ue000semver "
_IDENTIFIER = r"(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_NUMBER = r"(0|[1-9][0-9]{0,18})"
_SEMVER = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-({_IDENTIFIER}(?:\.{_IDENTIFIER})*))?"
    r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)


class BoundCluster(Struct, frozen=True, eq=False):
    """A cluster known as `managedCluster`; `widest` is the length of its longest list or map."""

    binding: Binding
    widest: int


class ClusterProgram(Struct, frozen=True, eq=False):
    """An expression over `managedCluster`, checked and ready."""

    program: Program

    def weigh(self, cluster: BoundCluster) -> int:
        """Estimate the steps of an evaluation: those of its loops, and some to begin with."""
        items = max(cluster.widest, self.program.source.count(",") + 1)
        return _BEGINNING + iterations(self.program.loops, items)

    def answer(self, cluster: BoundCluster, find_scores: FindScores) -> str:
        """Return "" where it is true of a cluster, else why it is not: an error is a no in OCM.

        Raises `UnevaluableError` where it would cost too much or needs what is not here.
        """
        _CURRENT.find_scores = find_scores
        try:
            value = self.program.evaluate(cluster.binding)
        except NoOverloadError as error:
            return str(error)
        if isinstance(value, Failure):
            return value.message
        return "" if value is True else "it is not true"


def bind_cluster(cluster: Mapping[str, Any]) -> BoundCluster:
    """Make a cluster known as `managedCluster`."""
    activation = _environment().Activation({VARIABLE: cluster})
    return BoundCluster(Binding(repr(cluster), activation), _widest(cluster))


def _widest(value: CelValue) -> int:
    if not isinstance(value, Mapping | list):
        return 0
    items = value.values() if isinstance(value, Mapping) else value
    return max(len(value), *map(_widest, items), 0)


@lru_cache(maxsize=4096)
def compile_predicate(source: str) -> ClusterProgram:
    """Check an expression.

    Raises:
        NotCompiledError: it does not compile, there as here.
        UnevaluableError: it is too long.

    """
    return ClusterProgram(compile_in(_environment, source))


class _CurrentScores:
    """The scores of the current evaluation; there is one evaluation at a time."""

    __slots__ = ("find_scores",)

    def __init__(self) -> None:
        self.find_scores: FindScores = lambda _namespace, _name: None


_CURRENT = _CurrentScores()


def _scores(cluster: CelValue, name: str) -> CelValue:
    scores = _CURRENT.find_scores(cluster["metadata"]["name"], name)
    if scores is None:
        message = f'no AddOnPlacementScore "{name}"'
        raise ValueError(message)
    return scores


def _refuse_constant(text: str) -> NoReturn:
    message = f"{text} is no JSON"
    raise ValueError(message)


def _parse_json(text: str) -> CelValue:
    """Decode JSON as Go does: every number is a double."""
    try:
        return json.loads(charge_text(text), parse_int=float, parse_constant=_refuse_constant)
    except RecursionError:
        message = "the JSON is nested too deeply"
        raise ValueError(message) from None


def _semver(text: str) -> str:
    """Mark a semantic version, without its build, which comparisons ignore."""
    if not _SEMVER.fullmatch(charge_text(text)):
        message = f'"{text[:40]}" is not a semantic version'
        raise ValueError(message)
    return _MARK + text.partition("+")[0]


def _version(marked: str) -> tuple[tuple[int, int, int], list[tuple[bool, int, str]]]:
    """Return the numbers and the identifiers of a marked version, in forms that compare."""
    match = _SEMVER.fullmatch(marked.removeprefix(_MARK)) if marked.startswith(_MARK) else None
    if match is None:
        message = "a semantic version is compared with something else"
        raise ValueError(message)
    identifiers = match[4].split(".") if match[4] else []
    return (int(match[1]), int(match[2]), int(match[3])), [
        (False, int(part), "") if part.isdecimal() else (True, 0, part) for part in identifiers
    ]


def _compare_versions(left: str, right: str) -> int:
    (numbers, identifiers), (other_numbers, other_identifiers) = _version(left), _version(right)
    one = (numbers, not identifiers, identifiers)  # a pre-release comes before its release
    other = (other_numbers, not other_identifiers, other_identifiers)
    return (one > other) - (one < other)


_COMPARE: Mapping[str, Callable[[str, str], CelValue]] = {
    "compareTo": _compare_versions,
    "isGreaterThan": lambda left, right: _compare_versions(left, right) > 0,
    "isLessThan": lambda left, right: _compare_versions(left, right) < 0,
}


def _compare_either(function: Function) -> Function:
    """Let a function of two quantities compare two versions as well."""
    of_versions = _COMPARE[function.name]

    def call(left: str, right: str) -> CelValue:
        if left.startswith(_MARK) or right.startswith(_MARK):
            return of_versions(left, right)
        return function.call(left, right)

    return member(function.name, "string string", function.returns, call)


def _refuse_search(*_: CelValue) -> NoReturn:
    message = f"find and findAll: {NOT_HERE}, as no search in linear time is at hand"
    raise ValueError(message)


_FUNCTIONS = (
    *STRING_FUNCTIONS,
    *ADDRESS_FUNCTIONS,
    *LIST_FUNCTIONS,
    *(_compare_either(row) if row.name in _COMPARE else row for row in QUANTITY_FUNCTIONS),
    global_function("semver", "string", "string", _semver),
    global_function(
        "isSemver", "string", "bool", lambda text: bool(_SEMVER.fullmatch(charge_text(text)))
    ),
    member("major", "string", "int", lambda version: _version(version)[0][0]),
    member("minor", "string", "int", lambda version: _version(version)[0][1]),
    member("patch", "string", "int", lambda version: _version(version)[0][2]),
    member("find", "string string", "string", _refuse_search),
    member("findAll", "string string", "list(string)", _refuse_search),
    member("findAll", "string string int", "list(string)", _refuse_search),
    member("parseJSON", "string", "dyn", _parse_json),
    Function("scores", ("map(string, dyn)", "string"), "list(map(string, dyn))", _scores),
)


@cache
def _environment() -> cel.Env:
    return cel.NewEnv(
        variables={VARIABLE: cel.Type.Map(cel.Type.STRING, cel.Type.DYN)},
        extensions=[ext_optional.ExtOptional()],
        functions=declare_functions(_FUNCTIONS),
    )
