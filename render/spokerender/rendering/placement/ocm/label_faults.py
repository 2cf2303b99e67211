"""Faults of keys and values of labels in Kubernetes' words, which OCM puts into conditions.

Source: apimachinery, `pkg/util/validation/validation.go`.
"""

import re

from spokerender.model.names import SUBDOMAIN, SUBDOMAIN_LENGTH

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


def list_key_faults(key: str) -> list[str]:
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


def list_value_faults(value: str) -> list[str]:
    """Return what is wrong with the value of a label (`IsValidLabelValue`)."""
    return _list_faults(value, _MOST, _VALUE, _VALUE_WORDS)


def _list_faults(text: str, most: int, pattern: str, words: str) -> list[str]:
    is_long = len(text.encode()) > most
    length = [f"must be no more than {most} characters"] if is_long else []
    return length if re.fullmatch(pattern, text) else [*length, words]
