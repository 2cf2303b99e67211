"""CEL as OCM's placement evaluates it over clusters: a second environment beside that of CRDs.

Source: open-cluster-management-io/sdk-go 3ea63fbc98a7, `pkg/cel`; functions as in k8s.io/apiserver,
`library`. Functions that return optional values are declared, and cannot be evaluated.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from cel_expr_python import cel
from cel_expr_python.ext import ext_optional
from msgspec import Struct
from msgspec.structs import replace

from spokerender.formats.cel.addresses import ADDRESS_FUNCTIONS
from spokerender.formats.cel.amounts import QUANTITY_FUNCTIONS
from spokerender.formats.cel.costs import bare, iterations
from spokerender.formats.cel.environment import (
    Binding,
    Failure,
    NoOverloadError,
    NotCompiledError,
    Program,
    UnevaluableError,
    compile_in,
    refuse_kept_optionals,
)
from spokerender.formats.cel.formatting import format_text
from spokerender.formats.cel.functions import (
    LIST_FUNCTIONS,
    NOT_HERE,
    NOTHING,
    STRING_FUNCTIONS,
    CelValue,
    Function,
    charge_text,
    member,
)
from spokerender.formats.cel.inspecting import (
    find_call_fault,
    find_unlike_call,
    has_odd_keys,
)
from spokerender.formats.cel.members import CURRENT_SCORES, OCM_FUNCTIONS, FindScores
from spokerender.formats.cel.named import FORMAT_FUNCTIONS
from spokerender.formats.cel.opaque import declare_typed, opaque_types
from spokerender.formats.cel.opened import open_maps
from spokerender.formats.cel.rewriting import TooManyListsError, rewrite_unlike
from spokerender.formats.cel.semvers import SEMVER_FUNCTIONS
from spokerender.formats.cel.standard import (
    LEFT_OUT,
    ORDINARY,
    PLACES,
    STRINGS,
    declare_comparisons,
    declare_texts,
)
from spokerender.formats.cel.unlike import STAND_INS
from spokerender.formats.regexes import PatternError, compile_pattern
from spokerender.model.shapes import strings_in

VARIABLE = "managedCluster"
_COMPILED_THERE = {
    "unsupported map key type": "a map with such keys",
    "applied to '(list(dyn), T%": "a part of an empty list beside a list",
    "'scores' applied to '(map(int, ": "scores() of something that is no cluster",
    "'scores' applied to '(map(uint, ": "scores() of something that is no cluster",
    "type 'dyn' cannot be the range": "a loop over part of an empty list",
    "expected type 'optional_type(dyn)' but found 'dyn'": "what may be an optional value",
}
"""What the library says against expressions that compile in OCM, and what is in these."""
_OF_TYPES = re.compile(
    "no matching overload|undefined field|given message|cannot be the (operand|range)"
)
_OF_NUMBERS = re.compile("overload for '_[<>]")
_OF_ORDER = re.compile(r"overload for '_[<>]=?_' applied to '\((?!T%)[^']*T%")
_OF_ANYTHING = re.compile(r"applied to '\(T%")
_TAKING_APART = re.compile(r"\boptional\b|\?|[\w)\]]\s*\[")
_OF_OPAQUE = re.compile(r"applied to '\((?:list\()*(?:optional_type|net\.|kubernetes\.|google\.)")
_NULL = re.compile(r"\bnull\b")
"""In OCM the type of a list that has both depends on their order."""
_MIXED = re.compile(r"\{[^{}]*:.*,[^{}]*:", re.DOTALL)
"""A map with several entries: where one of them may be anything, so may the whole in OCM."""
_HIDING = re.compile(r"\|\||\.\s*exists\s*\(|!.*(?:&&|\.\s*all\s*\()", re.DOTALL)
"""What passes over an error of one part, and is true by another; `&&` and `all` where negated."""
_KEYS = "Invalid map key type"
_ANSWERED_THERE = {
    "SELECT to non-message type": r"\.\s*\?|\[\s*\?",  # absent, where an optional value is no map
    "overloads found : _[?_]": r"\[\s*\?",  # as above
    "overloads found : _?._": r"\.\s*\?",  # as above
    "overloads found : or": r"\bor\s*\(",  # of a value that is not optional
    "overloads found : orValue": r"\borValue\s*\(",  # as above
    "no_such_field": r"\bhas\s*\(",  # as above
    "int(duration)": r"\bint\s*\(",
    "Invalid timezone": "Local",
    _KEYS: r"\{",
}
"""Errors of the library where OCM has an answer, with a pattern of what asks for it."""
_NEVER_TRUE = ("<INT>", "<UINT>", "<DOUBLE>", "<STRING>", "<BYTES>")
_STRING = "{type_name: string}"
_CONFIGURATION = f"""\
{LEFT_OUT}functions:
{ORDINARY}- name: validate
  overloads:
  - id: format_validate
    target: {{type_name: kubernetes.NamedFormat}}
    args: [{_STRING}]
    return: {{type_name: optional_type, params: [{{type_name: list, params: [{_STRING}]}}]}}
- name: format.named
  overloads:
  - id: format_named
    args: [{_STRING}]
    return: {{type_name: optional_type, params: [{{type_name: kubernetes.NamedFormat}}]}}
"""
"""What is left out, and functions that are declared alone: ours return no optional values."""
_BEGINNING = 10
"""The steps that an evaluation takes without a loop."""


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
        CURRENT_SCORES.find_scores, CURRENT_SCORES.panic = find_scores, ""
        try:
            value = self.program.evaluate(cluster.binding)
        except NoOverloadError as error:
            value = Failure(str(error))
        if CURRENT_SCORES.panic:
            return CURRENT_SCORES.panic
        returned = _name_result(self.program) if value is None else ""
        if returned.startswith("optional") and not returned.endswith(_NEVER_TRUE):
            message = f"an optional value, which counts as what is in it: {NOT_HERE}"
            raise UnevaluableError(message)
        if not isinstance(value, Failure):
            return "" if value is True else "it is not true"
        is_hiding = _HIDING.search(self.program.source) is not None
        for words, asking in _ANSWERED_THERE.items():
            is_told = words in value.message or (is_hiding and self._may_hide(words))
            if is_told and re.search(asking, self.program.source):
                message = f"{value.message}: {NOT_HERE}"
                raise UnevaluableError(message)
        return value.message

    def _may_hide(self, words: str) -> bool:
        """Tell whether another error may hide this one, by the types of keys."""
        return words != _KEYS or has_odd_keys(self.program.expression.serialize())


def bind_cluster(cluster: Mapping[str, Any]) -> BoundCluster:
    """Make a cluster known as `managedCluster`."""
    activation = _environment().Activation({VARIABLE: cluster})
    longest = max(map(len, strings_in(cluster)), default=0)
    return BoundCluster(Binding(repr(cluster), activation, longest), _widest(cluster))


def _widest(value: CelValue) -> int:
    if not isinstance(value, Mapping | list):
        return 0
    items = value.values() if isinstance(value, Mapping) else value
    return max(len(value), *map(_widest, items), 0)


@lru_cache(maxsize=4096)
def compile_predicate(source: str) -> ClusterProgram:
    """Check an expression.

    Raises `NotCompiledError` if it does not compile, there as here, `UnevaluableError` if it is too
    long.
    """
    code = bare(source)
    try:
        program = _rewrite(compile_in(_environment, source))
    except NotCompiledError as error:
        raise _doubt(error, code, source) from None
    return ClusterProgram(program)


def _name_result(program: Program) -> str:
    """Return the name of the type of a result, "" for a map of which the library has none."""
    try:
        return str(program.expression.return_type())
    except RuntimeError:
        return ""


def _doubt(error: NotCompiledError, code: str, source: str) -> UnevaluableError:
    """Return the error, or one that says that it may compile in OCM."""
    what = _find_doubt(str(error), code, source)
    return UnevaluableError(f"{what}: {NOT_HERE}") if what else error


def _find_doubt(text: str, code: str, source: str) -> str:
    """Return what may compile in OCM, "" for nothing."""
    for words, what in _COMPILED_THERE.items():
        if words in text:
            return what
    if _OF_ORDER.search(text):
        return "an order of what is in an empty list"
    if _OF_ANYTHING.search(text) and _TAKING_APART.search(code):
        return "a part of what may be anything"
    if _OF_OPAQUE.search(text) and _NULL.search(code):
        return "a list of null and of a type such as IP or an optional one"
    if _OF_NUMBERS.search(text) and not _find_fault(source, is_crossing=False):
        return f"{text}, unless one may be any"
    is_mixed = _OF_TYPES.search(text) is not None and _MIXED.search(code) is not None
    is_doubtful = is_mixed and not _OF_TYPES.search(
        _find_fault(open_maps(source), is_crossing=True)
    )
    return f"{text}, unless a map is of several types" if is_doubtful else ""


def _find_fault(source: str, *, is_crossing: bool) -> str:
    """Return why an expression does not compile, "" if it does."""
    try:
        _environment(is_crossing).compile(source)
    except RuntimeError as error:
        return str(error)
    return ""


def _rewrite(program: Program) -> Program:
    """Return the program with calls of ours where the library differs.

    Raises `NotCompiledError` if OCM refuses one of its calls, `UnevaluableError` if one has no
    answer here.
    """
    serialized = program.expression.serialize()
    if fault := find_call_fault(serialized):
        raise NotCompiledError(fault)
    try:
        rewritten = rewrite_unlike(serialized)
    except TooManyListsError:
        message = f"so many lists of what may be maps: {NOT_HERE}"
        raise UnevaluableError(message) from None
    if rewritten is not None:
        refuse_kept_optionals(rewritten)
    if call := find_unlike_call(rewritten or serialized):
        message = f"{call}: {NOT_HERE}"
        raise UnevaluableError(message)
    if rewritten is None:
        return program
    expression = _environment().deserialize(rewritten)
    return replace(program, expression=expression, is_calling=True)


def _find_all(text: str, pattern: str, most: int = -1) -> list[str]:
    try:
        return compile_pattern(pattern).find(charge_text(text), most)
    except PatternError as error:
        raise ValueError(str(error)) from None


def _find(text: str, pattern: str) -> str:
    return "".join(_find_all(text, pattern, 1))


_SUMMED = ("int", "uint", "double", "duration")
_COMPARED = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")


def _typed(functions: Iterable[Function]) -> Iterator[Function]:
    """Yield functions of lists for each type of their items, which upstream tells apart."""
    for row in functions:
        if row.parameters != ("list(dyn)",):
            continue
        for kind in _SUMMED if row.name == "sum" else _COMPARED:
            returns = kind if row.returns == "dyn" else row.returns
            yield replace(row, parameters=(f"list({kind})",), returns=returns)
        # The one that is called returns anything, and no list has such items.
        yield replace(row, parameters=(f"list({NOTHING})",))


_FUNCTIONS = (
    *(row for row in STRING_FUNCTIONS if row.name not in ("format", *PLACES)),
    member("format", "string list(dyn)", "string", format_text),
    *ADDRESS_FUNCTIONS,
    *STRINGS,
    *_typed(LIST_FUNCTIONS),
    *(row for row in FORMAT_FUNCTIONS if row.name != "validate"),
    *STAND_INS,
    *QUANTITY_FUNCTIONS,
    *SEMVER_FUNCTIONS,
    member("find", "string string", "string", _find),
    member("findAll", "string string", "list(string)", _find_all),
    member("findAll", "string string int", "list(string)", _find_all),
    *OCM_FUNCTIONS,
)


@cache
def _environment(is_crossing: bool = True) -> cel.Env:
    return cel.NewEnv(
        descriptor_pool=opaque_types(),
        config=cel.NewEnvConfigFromYaml(_CONFIGURATION),
        variables={VARIABLE: cel.Type.Map(cel.Type.STRING, cel.Type.DYN)},
        extensions=[ext_optional.ExtOptional()],
        functions=[
            *declare_typed(_FUNCTIONS, {"string": declare_texts()}),
            *declare_comparisons(is_crossing=is_crossing),
        ],
    )
