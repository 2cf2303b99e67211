"""CEL as OCM's placement evaluates it over clusters, in another environment than rules of CRDs.

Source: open-cluster-management-io/sdk-go 3ea63fbc98a7, `pkg/cel`; functions as in k8s.io/apiserver,
`library`. If the library at hand reads a value differently, there is no answer
(`spokerender.formats.cel.doubts`).
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from math import isfinite
from typing import Any, NoReturn

from cel_expr_python import cel
from cel_expr_python.ext import ext_optional
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.message import DecodeError
from msgspec import Struct
from msgspec.structs import replace

from spokerender.authoring.protocol import build_file_descriptor
from spokerender.formats.cel import environment
from spokerender.formats.cel.addresses import ADDRESS_FUNCTIONS
from spokerender.formats.cel.amounts import QUANTITY_FUNCTIONS, SEMVER_FUNCTIONS
from spokerender.formats.cel.costs import iterations, masked
from spokerender.formats.cel.doubts import GUARDING, guard_predicate
from spokerender.formats.cel.environment import UnevaluableError
from spokerender.formats.cel.functions import (
    CIDR,
    FORMAT,
    IP,
    LIST_FUNCTIONS,
    NOT_HERE,
    NOTHING,
    OPAQUE,
    STRING_FUNCTIONS,
    CelValue,
    Function,
    charge_text,
    declare_overload,
    global_function,
    member,
    overload,
)
from spokerender.formats.cel.messages import is_message, type_of
from spokerender.formats.cel.named import FORMAT_FUNCTIONS, FORMATS, format_fault
from spokerender.formats.regexes import compile_pattern
from spokerender.model.shapes import strings_in

_TEXT = "in"
"""A field that no expression can name, as its name is a word of CEL."""


@cache
def opaque_types() -> descriptor_pool.DescriptorPool:
    """Return a protobuf descriptor pool with a message type for each type in `OPAQUE`."""
    pool = descriptor_pool.DescriptorPool()
    for package in {kind.partition(".")[0] for kind in OPAQUE}:
        names = [kind.partition(".")[2] for kind in OPAQUE if kind.startswith(package)]
        pool.Add(build_file_descriptor(package, {name: {_TEXT: "string"} for name in names}))
    return pool


@cache
def _class(kind: str) -> Callable[..., Any]:
    type_ = opaque_types().FindMessageTypeByName(kind)
    create: Callable[..., Any] = message_factory.GetMessageClass(type_)
    return create


def declare_typed(functions: Iterable[Function]) -> list[cel.FunctionDecl]:
    """Return declarations for the library; functions get and return texts for opaque types."""
    alike: dict[tuple[str, bool, tuple[str, ...]], list[Function]] = defaultdict(list)
    for row in functions:
        kinds = ("message" if k in OPAQUE else k.partition("(")[0] for k in row.parameters)
        alike[row.name, row.is_member, tuple(kinds)].append(row)
    by_name: dict[str, list[cel.Overload]] = defaultdict(list)
    for rows in alike.values():
        called = next((row for row in rows if row.returns == "dyn"), rows[0])
        by_name[called.name] += [
            declare_overload(row, _dispatch(rows) if row is called else None) for row in rows
        ]
    return [cel.FunctionDecl(name, overloads) for name, overloads in by_name.items()]


def _dispatch(rows: Sequence[Function]) -> Callable[..., CelValue]:
    """Return a function that calls the overload in `rows` whose parameters fit the arguments."""

    def call(*arguments: CelValue) -> CelValue:
        for row in rows:
            pairs = zip(arguments, row.parameters, strict=True)
            if all(kind not in OPAQUE or type_of(value) == kind for value, kind in pairs):
                value = row.call(*map(text_of, arguments))
                return _class(row.returns)(**{_TEXT: value}) if row.returns in OPAQUE else value
        raise ValueError("no such overload")

    return call


def text_of(value: CelValue) -> CelValue:
    """Return the text of a value of an opaque type, and any other value unchanged."""
    return getattr(value, _TEXT) if is_message(value) else value


FindScores = Callable[[str, str], list[dict[str, Any]] | None]
"""Returns the scores of an AddOnPlacementScore, by its namespace and name; None if it is absent."""
CURRENT_SCORES: list[FindScores] = []
"""The one function that finds scores in the current evaluation: there is one at a time."""
NO_CLUSTER = f"scores() of something that is no cluster: {NOT_HERE}"
"""A doubt: in OCM this error ends the evaluation, whatever the other operand of `||` is."""


def _scores(cluster: CelValue, name: str) -> CelValue:
    named = _find_part(_find_part(cluster, "metadata"), "name")
    if not isinstance(named, str):
        _refuse(NO_CLUSTER)
    scores = CURRENT_SCORES[0](named, name)
    return _refuse(f'no AddOnPlacementScore "{name}"') if scores is None else scores


def _find_part(data: CelValue, key: str) -> CelValue:
    if not isinstance(data, Mapping):
        _refuse(NO_CLUSTER)
    return data[key] if key in data else _refuse(f"no such key: {key}")


def _parse_json(text: str) -> CelValue:
    """Return decoded JSON, with each number as a double, as in Go. Raises ValueError."""
    if "\\ud" in charge_text(text).lower():  # Go replaces halves of characters
        _refuse(f"JSON with parts of characters: {NOT_HERE}")
    try:
        # Python's `json` takes NaN and Infinity, Go does not.
        return json.loads(
            text, parse_float=_finite, parse_int=_finite, parse_constant=_refuse_constant
        )
    except RecursionError:
        _refuse("the JSON is nested too deeply")


def _finite(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else _refuse_constant(text)


def _refuse_constant(text: str) -> NoReturn:
    _refuse(f"{text} is no JSON")


def _refuse(message: str) -> NoReturn:
    raise ValueError(message)


OCM_FUNCTIONS = (
    member("parseJSON", "string", "dyn", _parse_json),
    Function("scores", ("map(string, dyn)", "string"), "list(dyn)", _scores),
)


VARIABLE = "managedCluster"
_ARGUMENTS = r"\((?:[^()]++|\((?:[^()]++|\((?:[^()]++|\([^()]*+\))*+\))*+\))*+\)"
_FORMAT = re.compile(r"\b(?:validate|format\s*\.\s*named)\s*\(")
_ASKED = re.compile(rf"{_FORMAT.pattern[:-2]}{_ARGUMENTS}(\s*\.\s*hasValue\s*\(\s*\))")
_LEFT_OUT = "stdlib:\n  exclude_functions:\n  - name: string\n"
"""The library allows no further overloads of its own `string`, but the function can be left out."""
_BEGINNING = 10
"""The steps that an evaluation takes without a loop."""


class BoundCluster(Struct, frozen=True, eq=False):
    """A cluster available as `managedCluster`; `widest` is the size of its largest list or map."""

    binding: environment.Binding
    widest: int


class ClusterProgram(Struct, frozen=True, eq=False):
    """An expression over `managedCluster`, checked and ready."""

    program: environment.Program

    def weigh(self, cluster: BoundCluster) -> int:
        """Return an estimate of the steps of an evaluation: a few, and the steps of its loops."""
        items = max(cluster.widest, self.program.source.count(",") + 1)
        return _BEGINNING + iterations(self.program.loops, items)

    def answer(self, cluster: BoundCluster, find_scores: FindScores) -> str:
        """Return why a cluster does not match, or "" if it does; errors don't match, as in OCM.

        Raises `UnevaluableError` if the evaluation costs too much, or is not possible here.
        """
        # The library passes no context to functions, so it is kept beside the evaluation.
        CURRENT_SCORES[:] = [find_scores]
        try:
            value = self.program.evaluate(cluster.binding)
        except environment.NoOverloadError as error:
            return str(error)
        if isinstance(value, environment.Failure):
            return value.message
        return "" if value is True else "it is not true"


def bind_cluster(cluster: Mapping[str, Any]) -> BoundCluster:
    """Return a cluster that expressions can use as `managedCluster`."""
    activation = _environment().Activation({VARIABLE: cluster})
    longest = max(map(len, strings_in(cluster)), default=0)
    binding = environment.Binding(repr(cluster), activation, longest)
    return BoundCluster(binding, _widest(cluster))


def _widest(value: CelValue) -> int:
    if not isinstance(value, Mapping | list):
        return 0
    items = value.values() if isinstance(value, Mapping) else value
    return max(len(value), *map(_widest, items), 0)


@lru_cache(maxsize=4096)
def compile_predicate(source: str) -> ClusterProgram:
    """Return a compiled expression.

    Raises `NotCompiledError` if it does not compile, `UnevaluableError` if it is too long, or can't
    be evaluated here.
    """
    program = environment.compile_in(_environment, _close_formats(source))
    try:
        if guarded := guard_predicate(program.expression.serialize()):
            environment.refuse_kept_optionals(guarded)
            expression = _environment().deserialize(guarded)
            program = replace(program, expression=expression, is_calling=True)
    except (DecodeError, RuntimeError) as error:
        raise UnevaluableError(f"parts in each other so deeply: {NOT_HERE}") from error
    return ClusterProgram(program)


def _close_formats(source: str) -> str:
    """Return an expression without `hasValue()` after formats, since ours are not optional.

    Raises `UnevaluableError` if the expression uses the optional value of a format in another way.
    """
    code = masked(source)
    asked = [match.span(1) for match in _ASKED.finditer(code)]
    if len(asked) < len(_FORMAT.findall(code)):
        raise UnevaluableError(f"an optional value of a format: {NOT_HERE}")
    for start, end in asked:
        source = f"{source[:start]}{' ' * (end - start)}{source[end:]}"
    return source


def _find_all(text: str, pattern: str, most: int = -1) -> list[str]:
    return compile_pattern(pattern).find(charge_text(text), most)


_SUMMED = ("int", "uint", "double", "duration")
_COMPARED = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")


def _typed(functions: Iterable[Function]) -> Iterator[Function]:
    """Yield an overload for each type of list items, as Kubernetes declares functions of lists."""
    for row in functions:
        if row.parameters != ("list(dyn)",):
            yield replace(row, parameters=(f"list({row.parameters[1]})", row.parameters[1]))
            continue
        for kind in _SUMMED if row.name == "sum" else _COMPARED:
            returns = kind if row.returns == "dyn" else row.returns
            yield replace(row, parameters=(f"list({kind})",), returns=returns)
        # The one that is called returns anything, and no list has such items.
        yield replace(row, parameters=(f"list({NOTHING})",))


_FUNCTIONS = (
    *STRING_FUNCTIONS,
    *ADDRESS_FUNCTIONS,
    *_typed(LIST_FUNCTIONS),
    *(row for row in FORMAT_FUNCTIONS if row.name != "validate"),
    member("validate", f"{FORMAT} string", "bool", lambda *asked: bool(format_fault(*asked))),
    global_function("format.named", "string", "bool", lambda name: name in FORMATS),
    *GUARDING,
    *QUANTITY_FUNCTIONS,
    *SEMVER_FUNCTIONS,
    member(
        "find",
        "string string",
        "string",
        lambda text, pattern: "".join(_find_all(text, pattern, 1)),
    ),
    member("findAll", "string string", "list(string)", _find_all),
    member("findAll", "string string int", "list(string)", _find_all),
    *OCM_FUNCTIONS,
)
_ALIKE = ("string", "bool", "bytes", "double", "duration", "timestamp")
_WRITTEN = dict(zip(_ALIKE, _ALIKE, strict=True)) | {
    "int64": "int",
    "uint64": "uint",
    "ip": IP,
    "cidr": CIDR,
}
"""The overloads of `string` with the types that they take, texts first as in cel-go."""


@cache
def _environment() -> cel.Env:
    texts = [
        overload(f"{name}_to_string", "string", [kind], text_of if kind == IP else None, False)
        for name, kind in _WRITTEN.items()
    ]
    return cel.NewEnv(
        descriptor_pool=opaque_types(),
        config=cel.NewEnvConfigFromYaml(_LEFT_OUT),
        variables={VARIABLE: cel.Type.Map(cel.Type.STRING, cel.Type.DYN)},
        extensions=[ext_optional.ExtOptional()],
        functions=[*declare_typed(_FUNCTIONS), cel.FunctionDecl("string", texts)],
    )
