"""Identities of objects, by which references are resolved, and where objects are in files.

A user names an object as `Kind[.group]/[namespace/]name[@spoke]`.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Self

from msgspec import Struct

GATEWAY_API = "gateway.networking.k8s.io"
OCM = "cluster.open-cluster-management.io"
PLACEMENT_LABEL = f"{OCM}/placement"
"""The label of Gateways and PlacementDecisions that names a Placement in their namespace."""

GroupKind = tuple[str, str]
"""An API group and a kind in it."""
GATEWAY: GroupKind = (GATEWAY_API, "Gateway")
GATEWAY_CLASS: GroupKind = (GATEWAY_API, "GatewayClass")
CONFIG_MAP: GroupKind = ("", "ConfigMap")
NAMESPACE: GroupKind = ("", "Namespace")
SECRET: GroupKind = ("", "Secret")
SERVICE: GroupKind = ("", "Service")
SERVICE_IMPORT: GroupKind = ("multicluster.x-k8s.io", "ServiceImport")
DataByRef = Mapping["Ref", Mapping[str, Any]]
"""Objects as JSON, by their identities."""

_NOTHING: Mapping[str, object] = {}


# Most mappings have identities as keys, so their hash is kept.
class Ref(Struct, frozen=True, order=True, cache_hash=True):
    """The identity by which references are resolved (Gateway API: group, kind, namespace, name).

    It has no version, as references name none. `section_name` is empty if the whole object is
    meant.
    """

    group: str
    kind: str
    namespace: str
    name: str
    section_name: str = ""

    @property
    def whole(self) -> "Ref":
        """Return the identity without the section name."""
        # Most references are whole, and make no copy.
        return Ref(self.group, self.kind, self.namespace, self.name) if self.section_name else self

    @property
    def full_name(self) -> str:
        """Return namespace and name: `shop/checkout`; only the name if there is no namespace."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def section(self, name: str) -> "Ref":
        """Return the identity of this object's section `name`; of the object if that is empty."""
        return Ref(self.group, self.kind, self.namespace, self.name, name) if name else self

    def __str__(self) -> str:
        """Return kind, namespace and name as kubectl users write them: `Gateway shop/public`."""
        section = f" [{self.section_name}]" if self.section_name else ""
        return f"{self.kind} {self.full_name}{section}"


def identity(data: object) -> Ref | None:
    """Return the identity that an object's fields state; None if one of the fields is not a text.

    An absent field counts as empty, such as the namespace of a cluster-scoped object.
    """
    fields = data if isinstance(data, Mapping) else None
    names = fields.get("metadata", _NOTHING) if fields is not None else None
    if fields is None or not isinstance(names, Mapping):
        return None
    version, kind = (fields.get(key, "") for key in ("apiVersion", "kind"))
    namespace, name = names.get("namespace"), names.get("name", "")
    # `namespace: null` is written by some tools, and means none.
    namespace = "" if namespace is None else namespace
    if not all(isinstance(text, str) for text in (version, kind, namespace, name)):
        return None
    return Ref(version.rpartition("/")[0], kind, namespace, name)


def kind_name(group: str, kind: str) -> str:
    """Return a kind with its group, if it has one: `AuthPolicy.kuadrant.io`."""
    return f"{kind}.{group}" if group else kind


def plural_of(kind: str) -> str:
    """Return the regular English plural of a kind, in lower case: `policies`, `gatewayclasses`."""
    word = kind.lower()
    if word.endswith("y") and word[-2:-1] not in set("aeiou"):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "sh", "ch", "x")) else "s")


FORM = "KIND[.GROUP]/[NAMESPACE/]NAME"
"""The form of an object's name in the help of commands, without a spoke."""


class ObjectName(Struct, frozen=True):
    """The name of an object on the spoke `spoke`; on every spoke if `spoke` is empty.

    `group` is None if it is not given: any group is meant. `namespace` is empty if it is not given.
    """

    kind: str
    group: str | None
    namespace: str
    name: str
    spoke: str = ""

    @classmethod
    def read(cls, text: str) -> Self | None:
        """Parse a name such as `AuthPolicy.kuadrant.io/shop/auth@eu`; return None if malformed."""
        what, has_spoke, spoke = text.partition("@")
        word, *place = what.split("/")
        # At the first dot: a kind has none (`names.kind_fault`), a group has several.
        kind, has_group, group = word.partition(".")
        if not (kind and all(place) and len(place) in {1, 2} and bool(spoke) == bool(has_spoke)):
            return None
        namespace = place[0] if len(place) > 1 else ""
        return cls(kind, group if has_group else None, namespace, place[-1], spoke)

    @classmethod
    def of(cls, ref: Ref, *, with_group: bool = True, spoke: str = "") -> Self:
        """Return the name of the object `ref`."""
        group = ref.group if with_group and ref.group else None
        return cls(ref.kind, group, ref.namespace, ref.name, spoke)

    def names(self, ref: Ref) -> bool:
        """Return whether this name means `ref`; the spoke and the case of the kind don't matter."""
        return (
            self.kind.casefold() == ref.kind.casefold()
            and self.group in (None, ref.group)
            and (self.namespace, self.name) == (ref.namespace, ref.name)
        )

    def __str__(self) -> str:
        """Return the form that `read` parses."""
        parts = (kind_name(self.group or "", self.kind), self.namespace, self.name)
        return "/".join(filter(None, parts)) + (f"@{self.spoke}" if self.spoke else "")


_ODD_KEY = re.compile(r"[.\s\[\]]")

FieldPath = tuple[str | int, ...]
"""Keys and indices that lead to a field of an object."""


def shown(path: Iterable[object]) -> str:
    """Return a path as Kubernetes' messages write it: `spec.targetRefs[0].name`.

    Brackets enclose an index, the key of a list item (`spec.listeners[name=https]`), or a key with
    special characters (`metadata.labels[kuadrant.io/managed]`).
    """
    return _write_path(tuple(path))


# Apart from `shown`, because the cache needs a key that can be hashed.
@lru_cache(maxsize=4096)
def _write_path(path: tuple[object, ...]) -> str:
    text = ""
    for step in path:
        if isinstance(step, str) and not _ODD_KEY.search(step):
            text += f".{step}" if text else step
        else:
            text += f"[{step}]"
    return text


def join_fields(field: str, path: Iterable[object]) -> str:
    """Return the whole path to a field: the text `field`, then `path` from there on."""
    below = shown(path)
    return f"{field}.{below}" if below and not below.startswith("[") else f"{field}{below}"


class Origin(Struct, frozen=True, order=True):
    """A position in a file: the path, the index of the document, line and column (from 1).

    The column is 0 unless it matters, as in a syntax error.
    """

    path: str
    index: int = 0
    line: int = 1
    column: int = 0

    def __str__(self) -> str:
        """Return `file:line` or `file:line:column`, which editors and terminals follow."""
        place = f"{self.path}:{self.line}"
        return f"{place}:{self.column}" if self.column else place


Place = Callable[..., Origin]
"""A function that takes the path to a field and returns its origin; each call costs a parse."""
