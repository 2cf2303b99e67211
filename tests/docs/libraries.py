"""The pages about what expressions, templates and functions can use, made from their tables."""

import dataclasses
import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence

from spokerender import authoring
from spokerender.formats.cel import declaring, messages
from spokerender.wings.publishing import contexts
from spokerender.wings.publishing.gotemplates import functions
from spokerender.wings.publishing.gotemplates.values import GoStruct, TemplateFunction
from tests.support import rows_of

CEL = rows_of(__file__, "cel")
MEANINGS: Mapping[str, str] = {
    "findGateways": "the Gateways above it; of a policy, those above its targets",
    "findAuthPolicies": "the AuthPolicies on its targets and above",
    "findPolicies": "the policies of a kind on it and above: `findPolicies('DNSPolicy')`",
    "findRoutes": "the routes below it, of the kinds that the definition reads",
    "findListeners": "its listeners; of a route, those that it attaches to",
    "findHostnames": "its hostnames; of a route without any, those of its listeners",
    "findInForce": "the policies of a kind that have a rule in force on a path of it",
    "paths": "every path that requests take on the spoke, down to a rule of a route",
    "gateways": "the Gateways of the spoke",
    "routes": "the routes of the spoke",
    "policies": "the policies of a kind on the spoke",
    "rulesInForce": "the rules of a kind's policies that are in force on a path, by their names",
    "object": "the whole object, as the spoke gets it",
}
SPOKE = rows_of(__file__, "spoke")
PUBLISHING = rows_of(__file__, "publishing")
TEMPLATES = """
## Templates

Names (`naming`), mutations and the names of related objects are Go templates. A value that does not
exist is an error. An expression (`cel`) of a mutation has `value`, `self` and `other` instead.

| where | what a template has |
|---|---|
"""
FUNCTIONS = """
There are conditions (`if`, `with`), no loops and no variables. The functions are those of Go's
text/template and of sprig that make names and short values; others are refused. An argument in
brackets may be left out, `…` stands for any number.

A path of a mutation or a reference has keys and indices with dots between them (`spec.ports.0`),
`#` for every item of a list, `#(type=="Ready")` for the first item with such a value, `#(…)#` for
all of them, `@flatten` at the end, and `\\` before a sign that is part of a key. gjson's other
queries and modifiers are refused.
"""


def cel() -> str:
    """The page of the CEL library."""
    return "".join((CEL, *_questions(), *_texts(), *_messages()))


def _questions() -> Iterator[str]:
    asked = {question.name: question for question in declaring._QUESTIONS}
    assert MEANINGS.keys() == asked.keys() | {"rulesInForce", "object"}
    yield "\n## Questions\n\n| function | of | answer | |\n|---|---|---|---|\n"
    for name, question in asked.items():
        kind = "kind" if question.is_named else ""
        of = ", ".join(map(_type, question.of)) or "the spoke"
        answers = f"list of {_type(question.answers)}"
        yield f"| `{name}({kind})` | {of} | {answers} | {MEANINGS[name]} |\n"
    path, policy, gateway, route = map(
        _type, (declaring.PATH, declaring.POLICY, declaring.GATEWAY, declaring.ROUTE)
    )
    yield f"| `rulesInForce(kind)` | {path} | map | {MEANINGS['rulesInForce']} |\n"
    yield f"| `object()` | {policy}, {gateway}, {route} | map | {MEANINGS['object']} |\n"
    yield "| `keys()` | a map | list of string | its keys, sorted |\n"
    yield "| `first()`, `flatten()` | a list | | its first item; the items of its lists |\n"


def _texts() -> Iterator[str]:
    yield "\n## Texts\n\n| function | result |\n|---|---|\n"
    for function in declaring.FUNCTIONS:
        arguments = ", ".join(function.parameters)
        yield f"| `{function.name}({arguments})` | `{function.returns}` |\n"


def _messages() -> Iterator[str]:
    for package, types in messages.PACKAGES.items():
        for name, fields in types.items():
            yield f"\n## {package}.{name}\n\n| field | type |\n|---|---|\n"
            yield from (f"| `{key}` | {_field(package, kind)} |\n" for key, kind in fields.items())


def _field(package: str, kind: str) -> str:
    name = kind.removeprefix("[]")
    if name[0].isupper():
        name = f"{package}.{name}"
    shown = _type(name.removeprefix("."))
    return f"list of {shown}" if kind.startswith("[]") else shown


def _type(name: str) -> str:
    if "." not in name:
        return name
    return f"[{name.rpartition('.')[2]}](#{name.replace('.', '').lower()})"


def spoke() -> str:
    """The page of what functions in Python get and return."""
    parts = [SPOKE]
    for name in ("SpokeTopology", "Policy", "Gateway", "Route", "ListenerView", "TargetRef"):
        parts += _class(getattr(authoring, name))
    for name in ("MakeEdit", "ChangeEdit", "RemoveEdit", "TellEdit"):
        parts += _class(getattr(authoring, name))
    return "".join(parts)


def _class(kind: type) -> Iterator[str]:
    yield f"\n## {kind.__name__}\n\n{_line(inspect.getdoc(kind) or '')}\n\n"
    yield "| | type | |\n|---|---|---|\n"
    if dataclasses.is_dataclass(kind):
        for field in dataclasses.fields(kind):
            if not field.name.startswith("_"):
                default = "" if field.default is dataclasses.MISSING else f"`{field.default!r}`"
                yield _row(f"`{field.name}`", field.type, default and f"Default: {default}.")
    for name, member in inspect.getmembers(kind):
        if name.startswith("_"):
            continue
        if isinstance(member, property) and member.fget is not None:
            yield _row(f"`{name}`", member.fget.__annotations__["return"], member.__doc__ or "")
        elif inspect.isfunction(member):
            arguments = ", ".join(list(inspect.signature(member).parameters)[1:])
            returned = member.__annotations__["return"]
            yield _row(f"`{name}({arguments})`", returned, member.__doc__ or "")


def _row(name: str, kind: object, text: str) -> str:
    first = _line(text.split("\n\n", maxsplit=1)[0])
    return f"| {name} | `{str(kind).replace('|', chr(92) + '|')}` | {first} |\n"


def templates() -> str:
    """The part of the publishing page about templates."""
    parts = [TEMPLATES]
    cluster = contexts.LogicalCluster("cluster", "path")
    for where, data in (
        ("`naming`", contexts.make_name_context({}, cluster)),
        ("names of related objects", contexts.make_side_context({}, cluster, "kcp")),
        ("`mutation`", contexts.make_mutation_context(None, None, None)),
    ):
        names = ", ".join(f"`.{name}`" for name in data.fields)
        parts += [f"| {where} | {names} |\n"]
    value = contexts.make_mutation_context(None, None, None).fields["Value"]
    assert isinstance(value, GoStruct)
    parts += ["\n`.Value` prints as its text, and has " + _names(value.fields) + ".\n", FUNCTIONS]
    for title, rows in (
        ("Logic", functions.LOGIC_FUNCTIONS),
        ("Texts", functions.TEXT_FUNCTIONS),
        ("Lists and maps", functions.LIST_FUNCTIONS),
    ):
        parts += [f"\n### {title}\n\n", *_signatures(rows)]
    return "".join(parts)


def _signatures(rows: Sequence[TemplateFunction]) -> Iterator[str]:
    yield _names([f"{row.name} {row.signature}" for row in rows]) + "\n"


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _line(text: str) -> str:
    return " ".join(text.split()).replace("<", "&lt;")
