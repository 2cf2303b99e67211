"""Kubernetes' named formats of texts, which CEL calls as `format.<name>()`.

Source: k8s.io/apiserver, `library/format.go`; kube-openapi, `strfmt`.
"""

import re
from collections.abc import Callable

from spokerender.formats.cel.costs import BUDGET
from spokerender.formats.cel.functions import FORMAT, Function, global_function, member
from spokerender.formats.cel.urls import holds, url
from spokerender.model import names
from spokerender.model.times import read_time

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_CLOCK = re.compile(
    r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})", re.ASCII
)
_UUID = r"(?i:[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12})"
_BASE64 = r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"
_LABEL_1035 = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")


def _label_1035(text: str) -> str:
    return "" if _LABEL_1035.fullmatch(text) else f'"{text}" is not an RFC 1035 label'


def _prefix_of(fault: Callable[[str], str]) -> Callable[[str], str]:
    """Return `fault` for prefixes of names: they may end with a dash, since a suffix follows."""
    return lambda text: fault(f"{text[:-1]}a" if text.endswith("-") else text)


def _pattern(pattern: str, fault: str) -> Callable[[str], str]:
    compiled = re.compile(pattern, re.ASCII)
    return lambda text: "" if compiled.fullmatch(text) else fault


def _date(text: str) -> str:
    dated = f"2000{text[4:]}" if text.startswith("0000-") else text  # Go has the year 0
    try:
        is_date = bool(_DATE.fullmatch(text)) and read_time(f"{dated}T00:00:00Z") >= 0
    except ValueError:
        is_date = False
    return "" if is_date else "invalid date"


def _datetime(text: str) -> str:
    parts = text.lower().split("t")
    match = _CLOCK.fullmatch(parts[1]) if len(parts) > 1 and not _date(parts[0]) else None
    is_time = match is not None and match[1] <= "23" and max(match[2], match[3]) <= "59"
    return "" if is_time else "invalid datetime"


FORMATS: dict[str, Callable[[str], str]] = {
    "dns1123Label": names.label_fault,
    "dns1123Subdomain": names.subdomain_fault,
    "dns1035Label": _label_1035,
    "dns1123LabelPrefix": _prefix_of(names.label_fault),
    "dns1123SubdomainPrefix": _prefix_of(names.subdomain_fault),
    "dns1035LabelPrefix": _prefix_of(_label_1035),
    "qualifiedName": names.label_key_fault,
    "labelValue": names.label_value_fault,
    "uri": lambda text: "" if holds(url, text) else "invalid URI for request",
    "uuid": _pattern(_UUID, "does not match the UUID format"),
    "byte": _pattern(_BASE64, "invalid base64"),
    "date": _date,
    "datetime": _datetime,
}


def format_fault(name: str, text: str) -> str:
    """Return what is wrong with a text in one of Kubernetes' named formats, or ""."""
    return FORMATS[name](text)


def _validate(name: str, text: str) -> list[str] | None:
    BUDGET.spend(len(text), "validate()")
    fault = format_fault(name, text)
    return [fault] if fault else None


FORMAT_FUNCTIONS: tuple[Function, ...] = (
    *(global_function(f"format.{name}", "", FORMAT, lambda name=name: name) for name in FORMATS),
    member("validate", f"{FORMAT} string", "dyn", _validate),
)
