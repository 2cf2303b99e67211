"""Kubernetes' functions of lists and its `format`s (k8s.io/apiserver, `library`)."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from spokerender.formats.cel.costs import BUDGET
from spokerender.formats.cel.functions import Function, Value, member, plain
from spokerender.model import names

_LABEL_1035 = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
_QUALIFIED = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_NAME_LENGTH = 63
_ITEMS = ("string", "int", "double", "bool")  # a parameter of type dyn finds no call at run time


def _qualified_name_fault(text: str) -> str:
    """A label's key: an optional DNS subdomain, a slash, and up to 63 characters."""
    prefix, slash, name = text.rpartition("/")
    if slash and (not prefix or names.subdomain_fault(prefix)):
        return f'the prefix "{prefix[:80]}" is no DNS name'
    if not name or len(name) > _NAME_LENGTH or not _QUALIFIED.fullmatch(name):
        return f'"{name[:80]}" is no name of 1 to {_NAME_LENGTH} letters, digits, "-", "_" and "."'
    return ""


def _label_1035(text: str) -> str:
    return "" if _LABEL_1035.fullmatch(text) else f'"{text}" is no RFC 1035 label'


def _prefix_of(fault: Callable[[str], str]) -> Callable[[str], str]:
    """A `generateName`: what follows is put behind it, so it may end with a dash."""
    return lambda text: fault(f"{text[:-1]}a" if text.endswith("-") else text)


FORMATS: dict[str, Callable[[str], str]] = {
    "dns1123Label": names.label_fault,
    "dns1123Subdomain": names.subdomain_fault,
    "dns1035Label": _label_1035,
    "dns1123LabelPrefix": _prefix_of(names.label_fault),
    "dns1123SubdomainPrefix": _prefix_of(names.subdomain_fault),
    "dns1035LabelPrefix": _prefix_of(_label_1035),
    "qualifiedName": _qualified_name_fault,
    "labelValue": names.label_value_fault,
}


def format_fault(name: str, text: str) -> str:
    """What is wrong with a text by one of Kubernetes' named formats, or ""."""
    return FORMATS[name](text)


def _validate(name: str, text: str) -> list[str] | None:
    BUDGET.spend(len(text), "validate()")
    fault = format_fault(name, text)
    return [fault] if fault else None


def _sorted(items: list[Value]) -> bool:
    BUDGET.spend(len(items), "isSorted()")
    return all(a <= b for a, b in pairwise(items))


def _sum(items: list[Value]) -> Value:
    BUDGET.spend(len(items), "sum()")
    return sum(items)


def _least(items: list[Value]) -> Value:
    BUDGET.spend(len(items), "min()")
    return min(items)


def _greatest(items: list[Value]) -> Value:
    BUDGET.spend(len(items), "max()")
    return max(items)


def _same(left: Value, right: Value) -> bool:
    """CEL's equality: numbers by value, but a truth value is no number."""
    return isinstance(left, bool) is isinstance(right, bool) and bool(left == right)


def _index_of(items: list[Value], wanted: Value) -> int:
    BUDGET.spend(len(items), "indexOf()")
    return next((index for index, item in enumerate(items) if _same(item, wanted)), -1)


def _last_index_of(items: list[Value], wanted: Value) -> int:
    backwards = _index_of(items[::-1], wanted)
    return -1 if backwards < 0 else len(items) - 1 - backwards


def _named(name: str) -> Callable[[], str]:
    return lambda: name


FUNCTIONS: tuple[Function, ...] = (
    member("isSorted", "list(dyn)", "bool", _sorted),
    member("sum", "list(dyn)", "dyn", _sum),
    member("min", "list(dyn)", "dyn", _least),
    member("max", "list(dyn)", "dyn", _greatest),
    *(member("indexOf", f"list(dyn) {item}", "int", _index_of) for item in _ITEMS),
    *(member("lastIndexOf", f"list(dyn) {item}", "int", _last_index_of) for item in _ITEMS),
    *(plain(f"format.{name}", "", "string", _named(name)) for name in FORMATS),
    member("validate", "string string", "dyn", _validate),
)
