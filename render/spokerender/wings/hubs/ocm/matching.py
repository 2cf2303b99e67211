"""Selectors of labels and claims, validated as Kubernetes validates them.

Source: apimachinery, `LabelSelectorAsSelector`, `labels.NewRequirement`, `pkg/util/validation`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from spokerender.model.names import SUBDOMAIN, SUBDOMAIN_LENGTH
from spokerender.model.selectors import EVERYTHING, Expression, Selector
from spokerender.wings.hubs.ocm.objects import ClusterPredicate, ManagedCluster

_SETS = ("In", "NotIn")
_OPERATORS = (*_SETS, "Exists", "DoesNotExist")
_NO_VALUES = "for 'in', 'notin' operators, values set can't be empty"
_SOME_VALUES = "values set must be empty for exists and does not exist"
_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE = f"({_NAME})?"
_MOST = 63
_PARTS = 2
_CHARACTERS = (
    "consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character"
)
_NAME_WORDS = (
    f"must {_CHARACTERS} (e.g. 'MyName',  or 'my.name',  or '123-abc', "
    f"regex used for validation is '{_NAME}')"
)
_VALUE_WORDS = (
    f"a valid label must be an empty string or {_CHARACTERS} (e.g. 'MyValue',  or 'my_value',  "
    f"or '12345', regex used for validation is '{_VALUE}')"
)
_PREFIX_WORDS = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', "
    f"regex used for validation is '{SUBDOMAIN}')"
)


class AttributeMatcher(Struct, frozen=True):
    """The selectors of labels and claims of a predicate; both must match."""

    labels: Selector
    claims: Selector

    def matches(self, cluster: ManagedCluster) -> bool:
        """Return whether a cluster has these labels and claims."""
        return self.labels.matches(cluster.labels) and self.claims.matches(cluster.claims)

    def list_unmet(self, cluster: ManagedCluster) -> list[str]:
        """Return the conditions that a cluster does not meet, each with the value that it has."""
        parts = (("label", self.labels, cluster.labels), ("claim", self.claims, cluster.claims))
        return [reason for part in parts for reason in _list_unmet(*part)]


def _list_unmet(sort: str, selector: Selector, texts: Mapping[str, str]) -> Iterator[str]:
    for key, value in selector.labels:
        if texts.get(key) != value:
            yield f"{sort} {key}={value}: it has {_describe(texts, key)}"
    for expression in selector.expressions:
        if not expression.holds(texts):
            yield f"{sort} {expression}: it has {_describe(texts, expression.key)}"


def read_matcher(predicate: ClusterPredicate) -> AttributeMatcher:
    """Read the selectors of a predicate. Raises ValueError with Kubernetes' message."""
    # Claims have no `matchLabels` in the API.
    claims = {"matchExpressions": predicate.claim_selector.get("matchExpressions") or []}
    return AttributeMatcher(read_selector(predicate.label_selector), read_selector(claims))


def read_selector(data: Mapping[str, Any]) -> Selector:
    """Read a selector; an empty one matches everything. Raises ValueError."""
    # The API's comment that null matches nothing is not true of the code.
    selector = Selector.read(data) if data else EVERYTHING
    for key, value in selector.labels:
        _refuse([*_find_key_faults(key), *_find_value_faults(key, (value,))])
    for expression in selector.expressions:
        _check(expression)
    return selector


def _check(expression: Expression) -> None:
    if expression.operator not in _OPERATORS:
        raise ValueError(f"{_quote(expression.operator)} is not a valid label selector operator")
    faults = [*_find_key_faults(expression.key)]
    values = json.dumps(expression.values or None, ensure_ascii=False, separators=(",", ":"))
    if expression.operator in _SETS and not expression.values:
        faults.append(f"values: Invalid value: {values}: {_NO_VALUES}")
    if expression.operator not in _SETS and expression.values:
        faults.append(f"values: Invalid value: {values}: {_SOME_VALUES}")
    _refuse([*faults, *_find_value_faults(expression.key, expression.values)])


def _find_key_faults(key: str) -> Iterator[str]:
    if faults := _list_key_faults(key):
        yield f"key: Invalid value: {_quote(key)}: {'; '.join(faults)}"


def _find_value_faults(key: str, values: Sequence[str]) -> Iterator[str]:
    for index, value in enumerate(values):
        if faults := _list_faults(value, _MOST, _VALUE, _VALUE_WORDS):  # IsValidLabelValue
            place = f"values[{index}][{key}]"
            yield f"{place}: Invalid value: {_quote(value)}: {'; '.join(faults)}"


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _refuse(faults: Sequence[str]) -> None:
    """Raise ValueError with the distinct faults, if any, as a Kubernetes aggregate error."""
    if faults:
        text = ", ".join(dict.fromkeys(faults))
        raise ValueError(f"[{text}]" if len(set(faults)) > 1 else text)


def _describe(texts: Mapping[str, str], key: str) -> str:
    return f"{key}={texts[key]}" if key in texts else "none"


def _list_key_faults(key: str) -> list[str]:
    """Return what is wrong with the key of a label (`IsQualifiedName`)."""
    parts = key.split("/")
    if len(parts) > _PARTS:
        more = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return [f"a qualified name {_NAME_WORDS} {more}"]
    faults = [f"prefix part {fault}" for prefix in parts[:-1] for fault in _list_prefix(prefix)]
    name = parts[-1]
    if not name:
        faults.append("name part must be non-empty")
    faults += [f"name part {fault}" for fault in _list_faults(name, _MOST, _NAME, _NAME_WORDS)]
    return faults


def _list_prefix(prefix: str) -> list[str]:
    if not prefix:
        return ["must be non-empty"]
    return _list_faults(prefix, SUBDOMAIN_LENGTH, SUBDOMAIN, _PREFIX_WORDS)


def _list_faults(text: str, most: int, pattern: str, words: str) -> list[str]:
    # Bytes, as Go's `len` counts them.
    is_long = len(text.encode()) > most
    length = [f"must be no more than {most} characters"] if is_long else []
    return length if re.fullmatch(pattern, text) else [*length, words]
