"""The names that our files may hold, each with the words that say what it must be."""

from __future__ import annotations

from typing import Annotated

from render.config.fields import TextRule
from render.model.names import LABEL, SUBDOMAIN

_QUALIFIED = rf"^({SUBDOMAIN}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{{0,61}}[A-Za-z0-9])?$"
_OBJECT = r"^[A-Za-z][A-Za-z0-9]*(\.[a-z0-9.-]+)?(/[^/\s]+){1,2}$"
_STEP = r"([A-Za-z0-9_$][-A-Za-z0-9_$]*(\[\])*|\*)"

_DNS_LABEL = TextRule(
    f"^{LABEL}$",
    'a DNS label: a-z, 0-9 and "-", beginning and ending with a letter or digit',
    max_length=63,
)
_SUBDOMAIN = TextRule(f"^{SUBDOMAIN}$", 'a DNS name: a-z, 0-9, "-" and "."', max_length=253)
_HOSTNAME = TextRule(
    rf"^(\*\.)?{SUBDOMAIN}$",
    'a hostname in lower case such as "*.example.com"',
    max_length=253,
)
_NAMESPACED = TextRule(f"^{LABEL}/{SUBDOMAIN}$", "namespace/name", max_length=63 + 1 + 253)
_LABEL_KEY = TextRule(
    _QUALIFIED, "a label key such as region or example.com/region", max_length=253 + 1 + 63
)
_LABEL_VALUE = TextRule(
    "^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$",
    'a label value: letters, digits, "-", "_", ".", at most 63 of them',
    max_length=63,
)
_KIND = TextRule("^[A-Z][A-Za-z0-9]*$", "a kind such as AuthPolicy", max_length=63)
_RESOURCE = TextRule(
    "^[a-z][a-z0-9]*$",
    "a resource such as authpolicies: the plural, in lower case",
    max_length=63,
)
_OBJECT_NAME = TextRule(_OBJECT, "an object such as AuthPolicy/namespace/name")
_POINTER = TextRule("^(/.*)?$", "a JSON pointer such as /spec/rules/0")
_PATTERN = TextRule(
    rf"^{_STEP}(\.{_STEP})*$", "a pattern such as rules.authentication.* or limits[].rates"
)
_RELEASE = TextRule(
    r"^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$",
    "a release of the Gateway API such as v1.4.1",
)
_DURATION = TextRule(r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$", "a duration such as 10m or 1h30m")

DnsLabel = Annotated[str, _DNS_LABEL]
"""RFC 1123 label: the name of a spoke, a namespace."""
Subdomain = Annotated[str, _SUBDOMAIN]
"""RFC 1123 subdomain: the name of most objects."""
Hostname = Annotated[str, _HOSTNAME]
"""Gateway API `Hostname`: a wildcard may be its first label."""
NamespacedName = Annotated[str, _NAMESPACED]
LabelKey = Annotated[str, _LABEL_KEY]
"""Kubernetes' qualified name, of labels and annotations."""
LabelValue = Annotated[str, _LABEL_VALUE]
Kind = Annotated[str, _KIND]
Resource = Annotated[str, _RESOURCE]
ObjectName = Annotated[str, _OBJECT_NAME]
"""An object as results and `--allow-delete` name it (`render.model.ObjectName`), on any spoke."""
JsonPointer = Annotated[str, _POINTER]
"""RFC 6901, as far as it can be told before the expressions in it are evaluated."""
FieldPattern = Annotated[str, _PATTERN]
"""A pattern as `render.kinds.paths` reads it."""
Release = Annotated[str, _RELEASE]
"""As `gateway.networking.k8s.io/bundle-version` has it: a semantic version after a `v`."""
Duration = Annotated[str, _DURATION]
"""As Flux's CRDs take it: a subset of Go's."""
Text = Annotated[str, TextRule(min_length=1)]
"""Any text but the empty one."""
