"""Types of names in our files, and a description of each for messages."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from spokerender.config.base import refuse
from spokerender.model.names import LABEL, SUBDOMAIN

_DNS_LABEL = f"^{LABEL}$"
_SUBDOMAIN = f"^{SUBDOMAIN}$"
_HOSTNAME = rf"^(\*\.)?{SUBDOMAIN}$"
_NAMESPACED = f"^{LABEL}/{SUBDOMAIN}$"
_QUALIFIED = rf"^({SUBDOMAIN}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{{0,61}}[A-Za-z0-9])?$"
_GROUP = f"^({SUBDOMAIN})?$"
_LABEL_VALUE = "^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$"
_KIND = "^[A-Z][A-Za-z0-9]*$"
_KINDS = r"^([A-Z][A-Za-z0-9]*(\.[a-z0-9.-]+)?|\*)$"
_RESOURCE = "^[a-z][a-z0-9]*$"
_OBJECT = r"^[A-Za-z][A-Za-z0-9]*(\.[a-z0-9.-]+)?(/[^/\s]+){1,2}$"
_GLOB = r"^[-a-z0-9.?*]+$"
_POINTER = "^($|/)"
_STEP = r"([A-Za-z0-9_$][-A-Za-z0-9_$]*(\[\])*|\*)"
_PATTERN = rf"^{_STEP}(\.{_STEP})*$"
_RELEASE = r"^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$"
_VARIABLE = "^[a-z][A-Za-z0-9]*$"
_DURATION = r"^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$"
RATE = "^[1-9][0-9]{0,8}/[1-9][0-9]{0,5}(ms|s|m|h|d)$"
_IDENTIFIER = "^[A-Za-z_][A-Za-z0-9_]*$"

DnsLabel = Annotated[str, StringConstraints(pattern=_DNS_LABEL, max_length=63)]
"""RFC 1123 label: the name of a spoke or namespace."""
Subdomain = Annotated[str, StringConstraints(pattern=_SUBDOMAIN, max_length=253)]
"""RFC 1123 subdomain: the name of most objects."""
Hostname = Annotated[str, StringConstraints(pattern=_HOSTNAME, max_length=253)]
"""Gateway API `Hostname`: its first label may be a wildcard."""
# The lengths of both parts and the slash.
NamespacedName = Annotated[str, StringConstraints(pattern=_NAMESPACED, max_length=63 + 1 + 253)]
LabelKey = Annotated[str, StringConstraints(pattern=_QUALIFIED, max_length=253 + 1 + 63)]
"""Kubernetes' qualified name: a key of labels and annotations."""
LabelValue = Annotated[str, StringConstraints(pattern=_LABEL_VALUE, max_length=63)]
Group = Annotated[str, StringConstraints(pattern=_GROUP, max_length=253)]
"""An API group; empty: the core group."""
KindName = Annotated[str, StringConstraints(pattern=_KIND, max_length=63)]
Kinds = Annotated[str, StringConstraints(pattern=_KINDS, max_length=63 + 1 + 253)]
"""A kind with its group, or `*` for all kinds."""
Resource = Annotated[str, StringConstraints(pattern=_RESOURCE, max_length=63)]
ObjectNameText = Annotated[str, StringConstraints(pattern=_OBJECT)]
"""An object as in findings and `--allow-delete` (`model.ObjectName`), on any spoke."""
Glob = Annotated[str, StringConstraints(pattern=_GLOB, max_length=253)]
"""A name of Kubernetes in which `*` matches any text and `?` any character."""
JsonPointer = Annotated[str, StringConstraints(pattern=_POINTER)]
"""A JSON pointer (RFC 6901); expressions in it are not evaluated yet."""
FieldPattern = Annotated[str, StringConstraints(pattern=_PATTERN)]
"""A pattern as in `spokerender.kinds.fields`."""
BundleVersion = Annotated[str, StringConstraints(pattern=_RELEASE)]
"""A version as in `gateway.networking.k8s.io/bundle-version`: semantic, after a `v`."""
Duration = Annotated[str, StringConstraints(pattern=_DURATION)]
"""A duration as in Flux's CRDs: a subset of Go's."""
Identifier = Annotated[str, StringConstraints(pattern=_IDENTIFIER, max_length=255)]
"""A name of a Python function, or of an environment variable (POSIX)."""
Text = Annotated[str, StringConstraints(min_length=1)]
"""Any text that is not empty."""
Variable = Annotated[str, StringConstraints(pattern=_VARIABLE, max_length=63)]
"""The name of a variable in expressions."""
CelExpression = Annotated[str, StringConstraints(min_length=1, max_length=20_000)]
"""A CEL expression."""


def _path(path: str) -> str:
    if "\0" in path:
        refuse("a path can't have a NUL in it", "name a file or folder as it is called on disk")
    return path


def _argument(text: str) -> str:
    if "\0" in text:
        refuse("a program can't be given a NUL", "take it out, or pass it in a file")
    return text


FilePath = Annotated[Text, AfterValidator(_path)]
"""A path of a file or folder, which may not exist."""
Argument = Annotated[str, AfterValidator(_argument)]
"""An argument of a program: execve(2) ends it at a NUL."""

# pydantic reports the pattern, which few people read.
MEANINGS: Mapping[str, str] = {
    _DNS_LABEL: 'a DNS label: a-z, 0-9 and "-", beginning and ending with a letter or digit',
    _SUBDOMAIN: 'a DNS name: a-z, 0-9, "-" and "."',
    _HOSTNAME: 'a hostname in lower case such as "*.example.com"',
    _NAMESPACED: "namespace/name",
    _QUALIFIED: "a label key such as region or example.com/region",
    _LABEL_VALUE: 'a label value: letters, digits, "-", "_", ".", at most 63 of them',
    _GROUP: "an API group such as kuadrant.io, without a version",
    _KIND: "a kind such as AuthPolicy",
    _KINDS: "a kind with its group such as Secret or Backend.gateway.envoyproxy.io, or *",
    _RESOURCE: "a resource such as authpolicies: the plural, in lower case",
    _OBJECT: "an object such as AuthPolicy/namespace/name",
    _PATTERN: "a pattern such as rules.authentication.* or limits[].rates",
    _GLOB: "a name, in which * stands for any text and ? for any character",
    _RELEASE: "a release of the Gateway API such as v1.4.1",
    _POINTER: "a JSON pointer such as /spec/rules/0",
    _VARIABLE: "a name such as perMinute: letters and digits, the first in lower case",
    RATE: "a number of requests and a time such as 10/1m",
    _IDENTIFIER: 'a name of letters, digits and "_" that does not begin with a digit',
    _DURATION: "a duration such as 10m or 1h30m",
}
