"""References from an object to objects that it names or selects, and ReferenceGrants."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from spokerender.kinds.fields import find_values
from spokerender.kinds.kind import ReferencePath
from spokerender.model.refs import GATEWAY_API, FieldPath, Ref
from spokerender.model.selectors import EVERYTHING, Selector


class TargetSelector(Struct, frozen=True):
    """A selector of targets, by labels and namespace (`targetSelectors[]`).

    `source` is `Same` (the default), `All` or `Selector` (`namespaces.from` of Envoy Gateway). If
    `gateway_class` is set, the pods and Services of that class's Gateways are selected, and with
    `names` only of Gateways with these names. If `scope` is set, the default Gateways of that scope
    are selected (GEP-3793).
    """

    labels: Selector
    source: str = "Same"
    namespaces: Selector = EVERYTHING
    gateway_class: str = ""
    names: tuple[str, ...] = ()
    scope: str = ""

    def matches(
        self, labels: Mapping[str, str], name: str = "", gateway_class: str = "", scope: str = ""
    ) -> bool:
        """Return whether a target has matching labels and, for a Gateway, name, class and scope."""
        return (
            self.labels.matches(labels)
            and self.gateway_class in ("", gateway_class)
            and self.scope in ("", scope)
            and (not self.names or name in self.names)
        )

    def admits_namespace(self, own: str, namespace: str, labels: Mapping[str, str]) -> bool:
        """Return whether policies in `own` may select objects in `namespace`, with `labels`."""
        match self.source:
            case "All":
                return True
            case "Selector":
                return self.namespaces.matches(labels)
        return self.source == "Same" and namespace == own


class Reference(Struct, frozen=True):
    """A reference from one object to other objects.

    `ref` identifies the target, with the CRD's defaults and the namespace filled in; for a
    `selector`, its name is empty and its namespace is the referrer's own. `path` leads to the
    mapping of the reference, or to one of the `values` of a label selector's expression.
    `name_path` leads to the name (None for a selector), `namespace_path` to the field that has or
    may have the namespace (None if there is no such field). `label` is the key of the label whose
    value is the name. If `is_idle`, the target is a backend of weight 0, which gets no request. If
    `instead_of` is set, the reference counts only if the object `instead_of` does not exist.
    """

    path: FieldPath
    row: ReferencePath
    ref: Ref
    sections: tuple[str, ...] = ()
    explicit_namespace: bool = False
    selector: TargetSelector | None = None
    label: str = ""
    port: int | None = None
    name_path: FieldPath | None = None
    namespace_path: FieldPath | None = None
    is_idle: bool = False
    instead_of: Ref | None = None

    def parts(self, ref: Ref) -> tuple[Ref, ...]:
        """Return the named sections of the target `ref`, or `ref` itself if none is named."""
        return tuple(ref.section(name) for name in self.sections or ("",))


GRANT = (GATEWAY_API, "ReferenceGrant")


class Grant(Struct, frozen=True):
    """A ReferenceGrant, which permits references to objects in its own `namespace`.

    `referrers` are triples of group, kind and namespace; `referents` of group, kind and name, where
    an empty name permits all names.
    """

    namespace: str
    referrers: frozenset[tuple[str, str, str]]
    referents: frozenset[tuple[str, str, str]]

    def permits(self, referrer: Ref, referent: Ref) -> bool:
        """Return whether the grant permits the reference: an entry of each list matches."""
        named = {(referent.group, referent.kind, name) for name in ("", referent.name)}
        return (
            self.namespace == referent.namespace
            and (referrer.group, referrer.kind, referrer.namespace) in self.referrers
            and not named.isdisjoint(self.referents)
        )

    def covers(self, other: "Grant") -> bool:
        """Return whether this grant permits every reference that `other` permits."""
        return (
            self.namespace == other.namespace
            and other.referrers <= self.referrers
            and all(not self.referents.isdisjoint({to, (*to[:2], "")}) for to in other.referents)
        )


def read_grant(data: Mapping[str, Any], namespace: str) -> Grant:
    """Return the ReferenceGrant in `data`, without entries that are malformed."""
    return Grant(
        namespace,
        referrers=_entries(data, "spec.from[]", "namespace"),
        referents=_entries(data, "spec.to[]", "name"),
    )


def make_grant(referrer: Ref, referent: Ref) -> dict[str, Any]:
    """Return a ReferenceGrant, with identities of the hub, that lets `referrer` name `referent`."""
    source = {"group": referrer.group, "kind": referrer.kind, "namespace": referrer.namespace}
    target = {"group": referent.group, "kind": referent.kind, "name": referent.name}
    name = f"{referrer.name}-{referent.name}"
    return {
        # Served by all releases from v1.0 on; `v1` came with v1.5.
        "apiVersion": f"{GATEWAY_API}/v1beta1",
        "kind": "ReferenceGrant",
        "metadata": {"name": name, "namespace": referent.namespace},
        "spec": {"from": [source], "to": [target]},
    }


def _entries(data: Mapping[str, Any], path: str, key: str) -> frozenset[tuple[str, str, str]]:
    entries = [entry for _, entry in find_values(data, path) if isinstance(entry, Mapping)]
    # In `to`, an absent name means all names (GEP-709).
    texts = ((e.get("group") or "", e.get("kind") or "", e.get(key) or "") for e in entries)
    return frozenset(item for item in texts if all(isinstance(text, str) for text in item))
