"""What templates may speak of. Source: kcp-dev/api-syncagent, internal/sync/templating."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.publishing import BAD_TEMPLATE
from spokerender.model import FieldPath
from spokerender.model.shapes import as_text
from spokerender.wings.publishing import gojson, jsonpaths
from spokerender.wings.publishing.gotemplates import (
    GoStruct,
    GoTemplate,
    GoTemplateError,
    MissingValueError,
    RenderedText,
    TemplateFunction,
    compile_go_template,
)
from spokerender.wings.publishing.problems import Refused
from spokerender.wings.publishing.profiles import Profile

Object = Mapping[str, Any]


class Home(Struct, frozen=True):
    """The workspace that an object is in, as templates, labels and annotations have it."""

    cluster: str
    path: str = ""


class Engine(Struct, frozen=True):
    """Carries templates out as an agent of the profile does."""

    profile: Profile

    def compiled(self, source: str, field: FieldPath) -> GoTemplate:
        """Read a template. Raises `Refused`, with the field that it is in."""
        functions = (_OLD_JOIN,) if self.profile.joins_lists_first else ()
        try:
            return compile_go_template(source, functions)
        except GoTemplateError as problem:
            raise Refused(BAD_TEMPLATE, str(problem), "mend the template", field) from problem

    def made(
        self, source: str, data: GoStruct, field: FieldPath, *, missing: str | None = None
    ) -> RenderedText:
        """Carry a template out; a missing value is printed as `missing`, or refused.

        Raises:
            Refused: it can't be read, or fails; of the message `is_missing` tells why.

        """
        template = self.compiled(source, field)
        try:
            made = template.render(data, missing=missing)
        except MissingValueError as problem:
            raise MissingValue(str(problem), field) from problem
        except GoTemplateError as problem:
            raise Refused(BAD_TEMPLATE, str(problem), "mend the template", field) from problem
        return RenderedText(made.text.strip(), made.is_escapable)


class MissingValue(Refused):
    """A template would have printed a value that is not there."""

    def __init__(self, message: str, field: FieldPath) -> None:
        """It is at `field` that the template stands."""
        super().__init__(BAD_TEMPLATE, message, "give it a default, or the object the field", field)


def _joined(items: Any, by: str) -> str:  # noqa: ANN401  (JSON of any shape)
    if not all(isinstance(item, str) for item in items):
        message = "v0.2 joins lists of texts only"
        raise GoTemplateError(message)
    return by.join(items)


_OLD_JOIN = TemplateFunction("join", _joined, ("list", "string"))


def of_object(data: Object, home: Home) -> GoStruct:
    """What names are made of."""
    return GoStruct(
        "a name's context",
        {"Object": data, "ClusterName": home.cluster, "ClusterPath": home.path},
    )


def of_side(data: Object, home: Home, side: str) -> GoStruct:
    """What names of related objects are made of."""
    fields = {"Object": data, "Side": side, "ClusterName": home.cluster, "ClusterPath": home.path}
    return GoStruct("a related object's context", fields)


def of_sides(local: Object | None, remote: Object | None, home: Home, **more: Any) -> GoStruct:  # noqa: ANN401
    """What label selectors of related objects, and what they find, are made of."""
    fields = {
        "LocalObject": local,
        "RemoteObject": remote,
        "ClusterName": home.cluster,
        "ClusterPath": home.path,
    }
    return GoStruct("a selector's context", {**fields, **more})


def of_mutation(
    found: jsonpaths.FoundValue | None, local: Object | None, remote: Object | None
) -> GoStruct:
    """What a mutation's template is made of."""
    fields = {"Value": result(found), "LocalObject": local, "RemoteObject": remote}
    return GoStruct("a mutation's context", fields)


def result(found: jsonpaths.FoundValue | None) -> GoStruct:
    """What a path found, as gjson's `Result`."""
    value = found.value if found is not None else None
    text = jsonpaths.format_result(value)
    number = _number(value)
    return GoStruct(
        "gjson.Result",
        {
            "String": lambda: text,
            "Raw": gojson.encode(value, sort_keys=True, escape_html=False) if found else "",
            "Str": as_text(value),
            "Num": float(number),
            "Int": lambda: int(number),
            "Float": lambda: float(number),
            "Bool": lambda: value is True or (isinstance(value, str) and value.lower() in _TRUE),
            "Exists": lambda: found is not None,
            "IsArray": lambda: isinstance(value, list),
            "IsObject": lambda: isinstance(value, dict),
            "Value": lambda: value,
            "Array": lambda: [_plain(item) for item in jsonpaths.list_result(value)],
        },
        text=text,
    )


_TRUE = {"1", "t", "true"}


def _plain(value: Any) -> Any:  # noqa: ANN401  (JSON of any shape)
    """An item of `Array`; gjson has results there, which print as these do."""
    return jsonpaths.format_result(value) if isinstance(value, dict | list) else value


def _number(value: Any) -> float:  # noqa: ANN401  (JSON of any shape)
    if isinstance(value, int | float):
        return value
    try:
        return float(value) if isinstance(value, str) else 0
    except ValueError:
        return 0


engine = cache(Engine)
"""The engine of a profile."""
