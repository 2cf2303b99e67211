"""Checks of names, labels and hostnames as the API server makes them.

Each function returns what is wrong with a text; empty if nothing is wrong.

Sources: Kubernetes API conventions (RFC 1123 labels and subdomains, label values), how it validates
CustomResourceDefinitions (group, version, kind) and path segments, and the Gateway API's Hostname
type.
"""

import re

LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
"""The pattern of a DNS label of any length."""
SUBDOMAIN = rf"{LABEL}(\.{LABEL})*"
"""The pattern of a DNS subdomain of any length."""

_LABEL = re.compile(LABEL)
_SUBDOMAIN = re.compile(SUBDOMAIN)
# apimachinery, pkg/util/validation: an empty value is valid, an empty key is not.
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_KEY_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_LABEL_LENGTH, SUBDOMAIN_LENGTH = 63, 253

_KIND = re.compile(r"[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?")
_CORE_KIND = re.compile(r"[A-Z][A-Za-z0-9]*")
_VERSION = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
# apimachinery, IsValidPathSegmentName: `.` and `..` lead elsewhere in a URL, `/` and `%` end or
# encode a segment. Line ends and byte order marks are refused because names stand in messages.
_PATH_SEGMENT = re.compile(r"(?!\.{1,2}\Z)[^/%\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]+")
_OWN_GROUPS = frozenset({"apps", "autoscaling", "batch", "extensions", "policy"})
"""API groups of Kubernetes without a dot; the group of a CRD must have a dot."""


def _fault(text: str, longest: int, pattern: re.Pattern[str], form: str) -> str:
    if len(text) > longest:
        return f'"{text}" is longer than {longest} characters'
    return "" if pattern.fullmatch(text) else f'"{text}" is not {form}'


def label_fault(text: str) -> str:
    """Return what is wrong with a DNS label, such as the name of a namespace, or an empty text."""
    return _fault(text, _LABEL_LENGTH, _LABEL, 'a DNS label (a-z, 0-9, "-")')


def subdomain_fault(text: str) -> str:
    """Return what is wrong with a DNS subdomain, such as most objects' names, or an empty text."""
    return _fault(text, SUBDOMAIN_LENGTH, _SUBDOMAIN, 'a DNS name (a-z, 0-9, "-", ".")')


def label_key_fault(text: str) -> str:
    """Return what is wrong with the key of a label or annotation, or an empty text."""
    # At the last slash: a second one is then in the prefix, where a DNS name has none.
    prefix, slash, name = text.rpartition("/")
    if len(name) > _LABEL_LENGTH:
        return f'"{name}" is longer than {_LABEL_LENGTH} characters'
    if slash and (wrong := subdomain_fault(prefix)):
        return wrong
    return "" if _KEY_NAME.fullmatch(name) else f'"{text}" is not a key of labels or annotations'


def label_value_fault(text: str) -> str:
    """Return what is wrong with a label value, or an empty text."""
    return _fault(text, _LABEL_LENGTH, _LABEL_VALUE, "a label value")


def hostname_fault(text: str) -> str:
    """Return what is wrong with a hostname, or an empty text; its first label may be `*`."""
    return subdomain_fault(text.removeprefix("*."))


def path_segment_fault(text: str) -> str:
    """Return what is wrong with an RBAC object's name (a path segment), or an empty text."""
    return _fault(text, SUBDOMAIN_LENGTH, _PATH_SEGMENT, "a path segment")


def group_fault(text: str) -> str:
    """Return what is wrong with an API group, or an empty text; a CRD's group must have a dot."""
    if not text or text in _OWN_GROUPS:
        return ""
    if wrong := subdomain_fault(text):
        return wrong
    return "" if "." in text else f'"{text}" is not a group of Kubernetes, and a CRD\'s has a dot'


def api_version_fault(text: str) -> str:
    """Return what is wrong with an `apiVersion`, or an empty text."""
    group, slash, version = text.rpartition("/")
    if slash and not group:
        return f'"{text}" has no group before the slash'
    return group_fault(group) or _fault(version, _LABEL_LENGTH, _VERSION, "a version (such as v1)")


def kind_fault(group: str, text: str) -> str:
    """Return what is wrong with a kind, or an empty text; core kinds begin with a capital."""
    pattern = _KIND if group else _CORE_KIND
    return _fault(text, _LABEL_LENGTH, pattern, "a kind (such as Gateway)")
