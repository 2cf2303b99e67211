"""The CEL environment of the topology library: its types, its functions and how they are called."""

import json
import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol

from cel_expr_python import cel
from msgspec import Struct

from spokerender.formats.cel import checked, messages
from spokerender.formats.cel.costs import BUDGET, WEIGHTS
from spokerender.formats.cel.functions import (
    Function,
    charge_text,
    find_type,
    global_function,
    join_texts,
    overload,
    replace_text,
    split_text,
)
from spokerender.formats.cel.urls import unescape

_SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")
_SPACE = ord(" ")
_BASE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*")
_PAIR = re.compile(r"%([0-9A-Fa-f]{2})")


def _escape(text: str) -> str:
    """Return a text escaped as by Go's `url.QueryEscape`."""
    BUDGET.spend(3 * len(text), "escape()")
    data = text.encode()
    return "".join(
        chr(byte) if byte in _SAFE else "+" if byte == _SPACE else f"%{byte:02X}" for byte in data
    )


def _query(names: dict[str, str]) -> str:
    return "&".join(f"{_escape(name)}={_escape(names[name])}" for name in sorted(names))


def _with_query(url: str, names: dict[str, str]) -> str:
    """Return a URL with sorted query parameters; `names` has values for parameters without one."""
    BUDGET.spend(len(url), "withQuery()")
    base, fragment, rest = url.partition("#")
    base, _, query = base.partition("?")
    named: dict[str, list[str]] = {}
    for pair in filter(None, query.split("&")):
        name, _, value = pair.partition("=")
        if ";" not in pair and "%" not in _PAIR.sub("", pair):
            named.setdefault(unescape(name), []).append(unescape(value))
    for name, value in names.items():
        # An empty value counts as none.
        if not (named.get(name) or [""])[0]:
            named[name] = [value]
    pairs = (f"{_escape(name)}={_escape(one)}" for name in sorted(named) for one in named[name])
    return f"{base}?{'&'.join(pairs)}{fragment}{rest}"


def _with_path(url: str, more: str) -> str:
    """Return a URL with the path `more` joined to the URL's path, without double slashes."""
    BUDGET.spend(len(url) + len(more), "withPath()")
    match = re.fullmatch(r"([a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*)?([^?#]*)(.*)", url, re.DOTALL)
    head, path, tail = match.groups(default="") if match else ("", url, "")
    return f"{head}{_clean(f'{path}/{more}')}{tail}"


def _base(url: str) -> str:
    """Return scheme and host."""
    match = _BASE.match(charge_text(url))
    return match[0] if match else ""


def _clean(path: str) -> str:
    cleaned = posixpath.normpath(path)
    # POSIX keeps two slashes at the beginning, a URL's path has one.
    return f"/{cleaned.lstrip('/')}" if path.startswith("/") else cleaned


def _append_path(url: str, more: str) -> str:
    """Return a URL with a text appended to its path, without a slash between."""
    BUDGET.spend(len(url) + len(more), "appendPath()")
    # Before query and fragment, whichever comes first.
    cut = min((url.find(mark) for mark in "?#" if mark in url), default=len(url))
    return url[:cut] + more + url[cut:]


FUNCTIONS: tuple[Function, ...] = (
    global_function("strings.join", "list(string) string", "string", join_texts),
    global_function("strings.replace", "string string string", "string", replace_text),
    global_function("strings.split", "string string", "list(string)", split_text),
    global_function("strings.lower", "string", "string", lambda text: charge_text(text).lower()),
    global_function("strings.trim", "string", "string", lambda text: charge_text(text).strip()),
    global_function(
        "strings.quote", "string", "string", lambda text: json.dumps(charge_text(text))
    ),
    global_function("url.base", "string", "string", _base),
    global_function("url.escape", "string", "string", _escape),
    Function("url.query", ("map(string, string)",), "string", _query, is_member=False),
    Function(
        "url.withQuery", ("string", "map(string, string)"), "string", _with_query, is_member=False
    ),
    global_function("url.withPath", "string string", "string", _with_path),
    global_function("url.appendPath", "string string", "string", _append_path),
)


ANY, TEXT, LIST, MAP = "dyn", "string", "list(dyn)", "map(string, dyn)"
BOOL, LIST_OF = "bool", "list("
_PACKAGES = tuple(f"{package}." for package in messages.PACKAGES)
_WORDS = re.compile(r"\b[A-Z_]+\b")
POLICY, TARGET, GATEWAY = "kuadrant.v1.Policy", "kuadrant.v1.TargetRef", "kuadrant.v1.Gateway"
ROUTE, LISTENER, PATH = "spokerender.v1.Route", "spokerender.v1.Listener", "spokerender.v1.Path"

_LOOKUP = 1_000
"""The cost of a question to the topology, in characters."""
_FOUND = 100
"""The cost of each object in an answer, in characters."""
_GENERIC = """\
functions:
- name: first
  overloads:
  - id: first_of_list
    target: {type_name: list, params: [{type_name: A, is_type_param: true}]}
    return: {type_name: A, is_type_param: true}
- name: flatten
  overloads:
  - id: flatten_list
    target: {type_name: list, params: [{type_name: list, params: [
      {type_name: A, is_type_param: true}]}]}
    return: {type_name: list, params: [{type_name: A, is_type_param: true}]}
"""


class Library(Protocol):
    """The topology library: it answers the questions of an expression with sorted messages."""

    def find(self, what: str, start: Any, named: str) -> list[Any]:  # noqa: ANN401
        """Return what the function `what` finds for `start` (None: all); `named` is a kind."""

    def rules(self, path: Any, named: str) -> dict[str, Any]:  # noqa: ANN401  (a message)
        """Return the effective rules on a path, by name; `named` is the kind of their policies."""

    def whole(self, start: Any) -> dict[str, Any]:  # noqa: ANN401  (a message)
        """Return the object that a message represents."""


class _Question(Struct, frozen=True):
    """A function of the library, called on values of types `of`; returns a list of `answers`."""

    name: str
    answers: str
    of: tuple[str, ...]
    is_named: bool = False
    is_global: bool = False


_QUESTIONS = (
    _Question("findGateways", GATEWAY, (POLICY, TARGET, ROUTE)),
    _Question("findAuthPolicies", POLICY, (POLICY,)),
    _Question("findPolicies", POLICY, (POLICY, TARGET, GATEWAY, ROUTE), is_named=True),
    _Question("findRoutes", ROUTE, (POLICY, TARGET, GATEWAY)),
    _Question("findListeners", LISTENER, (POLICY, TARGET, GATEWAY, ROUTE)),
    _Question("findHostnames", TEXT, (POLICY, TARGET, GATEWAY, ROUTE)),
    _Question("findInForce", POLICY, (POLICY, TARGET, ROUTE, PATH), is_named=True),
    _Question("paths", PATH, (), is_global=True),
    _Question("gateways", GATEWAY, (), is_global=True),
    _Question("routes", ROUTE, (), is_global=True),
    _Question("policies", POLICY, (), is_named=True, is_global=True),
)


QUESTIONS = frozenset(["object", *(question.name for question in _QUESTIONS)])
"""The functions whose answers depend on the topology."""


class CurrentLibrary:
    """The topology library that the current evaluation uses; there is one evaluation at a time."""

    __slots__ = ("library",)

    def __init__(self) -> None:
        self.library: Library | None = None

    def now(self) -> Library:
        """Return the library of the current evaluation."""
        BUDGET.spend(_LOOKUP, "asking the topology")
        if self.library is None:
            raise ValueError("the topology can't be asked here")
        return self.library


CURRENT_LIBRARY = CurrentLibrary()


@cache
def environment(names: tuple[tuple[str, str], ...]) -> cel.Env:
    """Return the environment for expressions of these variables, given the names of their types."""
    overloads: dict[str, list[cel.Overload]] = defaultdict(list)
    for question in _QUESTIONS:
        overloads[question.name] += _overloads(question)
    overloads["findGateways"].append(
        # As Kuadrant's RFC of an open architecture writes it: `self.findGateways(self)`.
        overload("gateways_of_argument", f"list({GATEWAY})", (POLICY, POLICY), _gateways, True)
    )
    overloads["rulesInForce"] = [
        overload("rules_in_force", MAP, (PATH, TEXT), _rules, is_member=True)
    ]
    overloads["object"] = _members("object", MAP, (POLICY, GATEWAY, ROUTE), (), _whole)
    overloads["keys"] = [
        overload("keys_of_map", "list(string)", ("map(dyn, dyn)",), _sorted_keys, True)
    ]
    overloads[checked.ITEMS] = [
        overload(checked.ITEMS_OF_LIST, LIST, (LIST,), _count_copying_walk, False),
        overload(checked.ITEMS_OF_MAP, LIST, ("map(dyn, dyn)",), _refuse_map, False),
    ]
    overloads[checked.WALKED] = [
        overload(checked.WALKED_OF_LIST, LIST, (LIST,), _count_walk, False),
        overload(checked.WALKED_OF_MAP, "map(dyn, dyn)", ("map(dyn, dyn)",), _count_walk, False),
    ]
    overloads[checked.FLATTENED] = [
        overload(checked.FLATTENED, LIST, ("list(list(dyn))",), _flatten, False)
    ]
    for number, function in enumerate(FUNCTIONS):
        identity = f"text_{number}_{function.name.replace('.', '_')}"
        overloads[function.name].append(
            overload(identity, function.returns, function.parameters, function.call, False)
        )
    return cel.NewEnv(
        descriptor_pool=messages.pool(),
        config=cel.NewEnvConfigFromYaml(_GENERIC),
        variables={
            "__KUADRANT_VERSION": cel.Type.STRING,
            **{name: find_type(kind) for name, kind in names},
        },
        functions=[cel.FunctionDecl(name, own) for name, own in overloads.items()],
    )


def _overloads(question: _Question) -> list[cel.Overload]:
    more = (TEXT,) if question.is_named else ()
    returns = f"list({question.answers})"

    def ask(*arguments: Any) -> Any:  # noqa: ANN401  (messages)
        start = None if question.is_global else arguments[0]
        return _find(question.name, start, arguments[-1] if question.is_named else "")

    if question.is_global:
        return [overload(question.name, returns, more, ask, False)]
    return _members(question.name, returns, question.of, more, ask)


def _find(name: str, start: Any, named: str = "") -> Any:  # noqa: ANN401  (messages)
    objects = CURRENT_LIBRARY.now().find(name, start, named)
    BUDGET.spend(_FOUND * len(objects), f"{name}()")
    return objects


def _gateways(_: Any, policy: Any) -> Any:  # noqa: ANN401  (messages)
    return _find("findGateways", policy)


def _members(
    name: str,
    returns: str,
    starts: Sequence[str],
    more: tuple[str, ...],
    call: Callable[..., Any],
) -> list[cel.Overload]:
    """Return an overload for each type in `starts`; only the first has `call`, as cel requires."""
    return [
        overload(
            f"{name}_of_{start.rpartition('.')[2]}",
            returns,
            (start, *more),
            call if number == 0 else None,
            True,
        )
        for number, start in enumerate(starts)
    ]


def name_of(kind: cel.Type) -> str:
    """Return the name of a type, as `find_type` reads it."""
    text = str(kind).replace("<", "(").replace(">", ")")
    return _WORDS.sub(lambda match: match[0].lower(), text)


def item_of(name: str) -> str:
    """Return the type of a list's items."""
    return name[len(LIST_OF) : -1] if name.startswith(LIST_OF) else ANY


def is_data(name: str) -> bool:
    """Return whether a type is JSON data as far as is known: it contains no message types."""
    return not any(package in name for package in _PACKAGES)


def _whole(start: Any) -> dict[str, Any]:  # noqa: ANN401  (a message)
    value = CURRENT_LIBRARY.now().whole(start)
    BUDGET.spend(WEIGHTS.of(value), "object()")
    return value


def _rules(path: Any, named: str) -> dict[str, Any]:  # noqa: ANN401  (a message)
    rules = CURRENT_LIBRARY.now().rules(path, named)
    BUDGET.spend(WEIGHTS.of(rules), "rulesInForce()")
    return rules


_STEP = 40
"""The cost of a step of a loop, in characters."""


def _count_walk(items: Any) -> Any:  # noqa: ANN401  (a list, or a map)
    BUDGET.spend(_STEP * (len(items) + 1), "walking a list")
    return items


def _count_copying_walk(items: list[Any]) -> list[Any]:
    """Return the items, after charging for a loop that copies its growing list at each step."""
    BUDGET.spend(_STEP * (len(items) + 1) + len(items) * len(items), "walking a list")
    return items


def _sorted_keys(mapping: dict[Any, Any]) -> list[str]:
    BUDGET.spend(len(mapping), "keys()")
    return sorted(map(str, mapping))


def _flatten(lists: list[list[Any]]) -> list[Any]:
    BUDGET.spend(sum(map(len, lists)), "flattening lists")
    return [item for items in lists for item in items]


def _refuse_map(_: object) -> list[Any]:
    raise ValueError("it walks a map, whose order is chance: walk keys() of it, which are sorted")
