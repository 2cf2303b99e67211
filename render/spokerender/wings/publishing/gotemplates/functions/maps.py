"""Maps. Source: sprig's dict.go; none of these changes the map that it is given."""

from __future__ import annotations

from spokerender.wings.publishing.gotemplates.functions.texts import to_string
from spokerender.wings.publishing.gotemplates.problems import TemplateProblem
from spokerender.wings.publishing.gotemplates.rows import Function
from spokerender.wings.publishing.gotemplates.values import Value, type_name

_LEAST = 3


def _dict(*pairs: Value) -> dict[str, Value]:
    keys, values = pairs[::2], pairs[1::2]
    return {
        to_string(key): values[index] if index < len(values) else ""
        for index, key in enumerate(keys)
    }


def _dig(*arguments: Value) -> Value:
    """`dig "a" "b" default map`: what is at the keys, or the default where one is not there."""
    if len(arguments) < _LEAST:
        message = "it needs at least a key, a default and a map"
        raise TemplateProblem(message)
    *keys, instead, here = arguments
    for key in keys:
        if not isinstance(here, dict):
            message = f"it can't dig into {type_name(here)}"
            raise TemplateProblem(message)
        if key not in here:
            return instead
        here = here[key]
    return here


FUNCTIONS = (
    Function("dict", _dict, ("any",), more=True, nests=True),
    Function("dig", _dig, ("any",), more=True),
    Function("get", lambda data, key: data.get(key, ""), ("map", "string")),
    Function("hasKey", lambda data, key: key in data, ("map", "string")),
    Function(
        "keys", lambda *maps: [key for data in maps for key in sorted(data)], ("map",), more=True
    ),
    Function(
        "values",
        lambda *maps: [data[key] for data in maps for key in sorted(data)],
        ("map",),
        more=True,
    ),
    Function(
        "pick",
        lambda data, *keys: {k: v for k, v in data.items() if k in keys},
        ("map", "string"),
        more=True,
    ),
    Function(
        "omit",
        lambda data, *keys: {k: v for k, v in data.items() if k not in keys},
        ("map", "string"),
        more=True,
    ),
)
