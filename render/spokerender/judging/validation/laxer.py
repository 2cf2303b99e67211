"""CRDs that take more than before: the keywords of their schemas that got laxer.

Source: Kubernetes' docs, custom-resource-definitions (structural schemas, validation rules).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from spokerender.model.shapes import Json, as_list, as_mapping, as_mappings

_RULES, _EXTENSION = "x-kubernetes-validations", "x-kubernetes-"
_OPENING = {"preserve-unknown-fields", "embedded-resource", "int-or-string", "nullable"}
_CLOSING = {
    *("required", "enum", "pattern", "format", "type", "multipleOf", "uniqueItems", _RULES),
    *("minimum", "minLength", "minItems", "minProperties", "exclusiveMinimum"),
    *("maximum", "maxLength", "maxItems", "maxProperties", "exclusiveMaximum"),
    *("not", "oneOf", "anyOf", "allOf", "x-kubernetes-list-type"),
}


def find_laxer(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields in which a CRD takes more than its earlier form, each with the keyword.

    A version that is new is compared with the first one that there was. What may be stricter or
    laxer, such as another pattern, counts as laxer.
    """
    old, new = (as_mappings(as_mapping(crd.get("spec")).get("versions")) for crd in (before, after))
    by_name = {version.get("name"): version for version in old}
    for version in new if old else ():
        earlier = by_name.get(version.get("name"), old[0])
        schemas = [as_mapping(item.get("schema")) for item in (earlier, version)]
        was, now = (as_mapping(schema.get("openAPIV3Schema")) for schema in schemas)
        yield from _compare(was, now, "")


def _compare(old: Mapping[str, Any], new: Mapping[str, Any], path: str) -> Iterator[str]:
    if old == new:
        return
    for key in sorted({*old, *new}):
        keyword = key if key in _CLOSING else key.removeprefix(_EXTENSION)
        if old.get(key) != new.get(key) and _is_laxer(keyword, old.get(key), new.get(key)):
            yield f"{path[1:] or 'the object'} ({keyword})"
    fields, others = (as_mapping(schema.get("properties")) for schema in (old, new))
    for name in fields.keys() & others.keys():
        yield from _compare(as_mapping(fields[name]), as_mapping(others[name]), f"{path}.{name}")
    for name in ("items", "additionalProperties"):
        yield from _compare(as_mapping(old.get(name)), as_mapping(new.get(name)), f"{path}[]")


def _is_laxer(keyword: str, was: Json, now: Json) -> bool:
    """Tell whether a keyword with another value may let more pass."""
    if keyword not in _CLOSING or was is None or was is False:
        return keyword in _OPENING and bool(now)
    if keyword == _RULES:
        was, now = ([rule.get("rule") for rule in as_mappings(side)] for side in (was, now))
    if keyword in ("required", _RULES):
        return any(item not in as_list(now) for item in as_list(was))
    if keyword == "enum":
        return now is None or any(item not in as_list(was) for item in as_list(now))
    if isinstance(was, int | float) and isinstance(now, int | float) and keyword != "multipleOf":
        return now > was if keyword.startswith("max") else now < was
    return True
