"""What the API server takes as a name, label value or hostname; each says what is wrong, or "".

Sources: Kubernetes API conventions (RFC 1123 labels and subdomains, label values) and the
Gateway API's Hostname type.
"""

from __future__ import annotations

import re

LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
"""The pattern of a DNS label, whatever its length."""
SUBDOMAIN = rf"{LABEL}(\.{LABEL})*"
"""The pattern of a DNS subdomain, whatever its length."""

_LABEL = re.compile(LABEL)
_SUBDOMAIN = re.compile(SUBDOMAIN)
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_KEY_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_LABEL_LENGTH, SUBDOMAIN_LENGTH = 63, 253


def label_fault(text: str) -> str:
    """A DNS label of at most 63 characters: namespaces and spokes."""
    if len(text) > _LABEL_LENGTH:
        return f'"{text}" is longer than {_LABEL_LENGTH} characters'
    return "" if _LABEL.fullmatch(text) else f'"{text}" is no DNS label (a-z, 0-9, "-")'


def subdomain_fault(text: str) -> str:
    """A DNS subdomain of at most 253 characters: names of most objects."""
    if len(text) > SUBDOMAIN_LENGTH:
        return f'"{text}" is longer than {SUBDOMAIN_LENGTH} characters'
    return "" if _SUBDOMAIN.fullmatch(text) else f'"{text}" is no DNS name (a-z, 0-9, "-", ".")'


def gateway_name_fault(text: str) -> str:
    """A Gateway's name becomes a label's value, so 63 is the limit (GEP-1762), not 253."""
    if len(text) > _LABEL_LENGTH:
        return f'"{text}" is longer than {_LABEL_LENGTH}, which a gateway-name label can\'t hold'
    return subdomain_fault(text)


def label_key_fault(text: str) -> str:
    """A label's key: a name of at most 63 characters, perhaps behind a DNS subdomain and a `/`."""
    prefix, slash, name = text.rpartition("/")
    if len(name) > _LABEL_LENGTH:
        return f'"{name}" is longer than {_LABEL_LENGTH} characters'
    if slash and (wrong := subdomain_fault(prefix)):
        return wrong
    return "" if _KEY_NAME.fullmatch(name) else f'"{text}" is no key of labels or annotations'


def label_value_fault(text: str) -> str:
    """A label's value: at most 63 characters."""
    if len(text) > _LABEL_LENGTH:
        return f'"{text}" is longer than {_LABEL_LENGTH} characters'
    return "" if _LABEL_VALUE.fullmatch(text) else f'"{text}" is no label value'


def hostname_fault(text: str) -> str:
    """A hostname, possibly with a wildcard as its first label (Gateway API `Hostname`)."""
    return subdomain_fault(text.removeprefix("*."))
