"""The APIExport of an agent: what was in it stays, what is published now is added or replaced.

Source: kcp-dev/api-syncagent (internal/controller/apiexport), and kcp's conversion between the
two versions of APIExports. A list is held as entries, whichever version it is written in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from spokerender.model.shapes import as_list, as_mapping
from spokerender.wings.publishing.kcp.schemas import AGENT
from spokerender.wings.publishing.profiles import Profile
from spokerender.wings.publishing.resources import Resource

GROUP, KIND = "apis.kcp.io", "APIExport"
_CORE = "core"
_NAMESPACES = ("", "namespaces")
_EVENTS = ("", "events")
_LOGICAL_CLUSTERS = ("core.kcp.io", "logicalclusters")
_LEGACY = {"ConfigMap": "configmaps", "Secret": "secrets"}

Export = Mapping[str, Any]
Claim = Mapping[str, Any]


class Entry(Struct, frozen=True):
    """A schema in an export; `storage` is what an APIExport of v1alpha2 says of it."""

    schema: str
    group: str
    resource: str
    storage: Any = None

    @property
    def place(self) -> str:
        """What main sorts and replaces by: resource and group, as in the schema's name."""
        return f"{self.resource}.{self.group or _CORE}"


def entry_of(schema: str) -> Entry:
    """The entry of a schema by its name, which is prefix, resource and group."""
    _, _, rest = schema.partition(".")
    resource, _, group = rest.partition(".")
    return Entry(schema, "" if group == _CORE else group, resource)


def entries_of(export: Export) -> tuple[Entry, ...]:
    """The entries of an export, in either version."""
    names = (name for name in _items(export, "latestResourceSchemas") if isinstance(name, str))
    listed = [entry_of(name) for name in names]
    listed += [
        Entry(item["schema"], str(item.get("group") or ""), item["name"], item.get("storage"))
        for item in _items(export, "resources")
        if isinstance(item, Mapping)
        and isinstance(item.get("schema"), str)
        and isinstance(item.get("name"), str)
    ]
    return tuple(listed)


def claims_of(export: Export) -> list[Claim]:
    """The permissions that an export asks for; what names its resource by no text is none."""
    claims = _items(export, "permissionClaims")
    return [claim for claim in claims if isinstance(claim, Mapping) and _is_named(claim)]


def _is_named(claim: Claim) -> bool:
    named = (claim.get("resource"), claim.get("group", ""), claim.get("identityHash", ""))
    return all(isinstance(part, str) for part in named)


def _items(export: Export, key: str) -> list[Any]:
    spec = export.get("spec")
    items = spec.get(key) if isinstance(spec, Mapping) else None
    return as_list(items)


def merged(older: Iterable[Entry], current: Sequence[Entry], profile: Profile) -> tuple[Entry, ...]:
    """The list with what is published now: in main one entry a resource, the current one."""
    if profile.keeps_older:
        by_name = {entry.schema: entry for entry in (*current, *older)}
        return tuple(sorted(by_name.values(), key=lambda entry: entry.schema))
    by_place = {entry.place: entry for entry in older}
    for entry in current:
        known = by_place.get(entry.place)
        storage = known.storage if known is not None else None
        by_place[entry.place] = Entry(entry.schema, entry.group, entry.resource, storage)
    return tuple(sorted(by_place.values(), key=lambda entry: entry.place))


def wanted_claims(resources: Sequence[Resource], profile: Profile) -> tuple[Claim, ...]:
    """The permissions that the agent needs in consumers' workspaces."""
    own = {resource.resource for resource in resources}
    claims: dict[tuple[str, str, str], None] = {}
    if profile.claims_events:
        claims[(*_EVENTS, "")] = None
    needs_namespaces = any(
        resource.spec.related or resource.spec.filter.namespace for resource in resources
    )
    if needs_namespaces:
        claims[(*_NAMESPACES, "")] = None
    if any(resource.spec.enable_workspace_paths for resource in resources):
        claims[(*_LOGICAL_CLUSTERS, "")] = None
    for resource in resources:
        for related in resource.spec.related:
            group, plural = related.group or "", related.resource or ""
            if related.kind:
                plural = _LEGACY[related.kind]
            if related.origin == "service" and related.projection is not None:
                group = related.projection.group or group
                plural = related.projection.resource or plural
            if (group, plural) not in own:
                claims[group, plural, related.identity_hash or ""] = None
    return tuple(
        {"group": group, "resource": name, "identityHash": identity}
        for group, name, identity in claims
    )


def with_claims(present: Sequence[Claim], wanted: Iterable[Claim], profile: Profile) -> list[Claim]:
    """The claims with those that are missing; none is taken away."""
    claims = list(present)
    for claim in wanted:
        if not any(_is_met(other, claim, profile) for other in claims):
            claims.append({key: value for key, value in claim.items() if value})
    return sorted(claims, key=lambda claim: (claim.get("group", ""), claim["resource"]))


def _is_met(present: Claim, wanted: Claim, profile: Profile) -> bool:
    if present.get("resource") != wanted["resource"]:
        return False
    if present.get("group", "") != wanted["group"]:
        return False
    if profile.claims_by_resource:
        return True
    is_limited = present.get("all") is False or present.get("resourceSelector")
    same = present.get("identityHash", "") == wanted["identityHash"]
    return same and not is_limited


def written(
    base: Export, agent: str, entries: Sequence[Entry], claims: Sequence[Claim], version: str
) -> dict[str, Any]:
    """The export as it is rendered; `base` is the hub's own, or nothing but a name."""
    kept = ("name", "labels", "annotations")  # the rest is a cluster's own
    metadata = {key: base["metadata"][key] for key in kept if base["metadata"].get(key)}
    metadata["annotations"] = {**(metadata.get("annotations") or {}), AGENT: agent}
    was = base.get("spec")
    spec = {
        key: value
        for key, value in as_mapping(was).items()
        if key not in {"latestResourceSchemas", "resources", "permissionClaims"}
    }
    is_old = version == "v1alpha1"
    if is_old:
        spec["latestResourceSchemas"] = [entry.schema for entry in entries]
    else:
        spec["resources"] = [
            {
                "name": entry.resource,
                "group": entry.group,
                "schema": entry.schema,
                "storage": entry.storage or {"crd": {}},
            }
            for entry in entries
        ]
    if claims:
        spec["permissionClaims"] = [_claim(claim, is_old=is_old) for claim in claims]
    return {
        "apiVersion": f"{GROUP}/{version}",
        "kind": KIND,
        "metadata": metadata,
        "spec": spec,
    }


def _claim(claim: Claim, *, is_old: bool) -> dict[str, Any]:
    """A claim in the form of a version; one that somebody wrote stays as it is."""
    made = dict(claim)
    if is_old and not made.get("resourceSelector"):
        made.setdefault("all", True)
    elif not is_old:
        made.setdefault("verbs", ["*"])
        made.pop("all", None)
    return made


BUILT_IN = frozenset(
    {
        ("", "configmaps"),
        ("", "events"),
        ("", "namespaces"),
        ("", "resourcequotas"),
        ("", "secrets"),
        ("", "serviceaccounts"),
        ("admissionregistration.k8s.io", "mutatingadmissionpolicies"),
        ("admissionregistration.k8s.io", "mutatingadmissionpolicybindings"),
        ("admissionregistration.k8s.io", "mutatingwebhookconfigurations"),
        ("admissionregistration.k8s.io", "validatingadmissionpolicies"),
        ("admissionregistration.k8s.io", "validatingadmissionpolicybindings"),
        ("admissionregistration.k8s.io", "validatingwebhookconfigurations"),
        ("apiextensions.k8s.io", "customresourcedefinitions"),
        ("authentication.k8s.io", "tokenreviews"),
        ("authorization.k8s.io", "localsubjectaccessreviews"),
        ("authorization.k8s.io", "subjectaccessreviews"),
        ("certificates.k8s.io", "certificatesigningrequests"),
        ("coordination.k8s.io", "leases"),
        ("core.kcp.io", "logicalclusters"),
        ("events.k8s.io", "events"),
        ("rbac.authorization.k8s.io", "clusterrolebindings"),
        ("rbac.authorization.k8s.io", "clusterroles"),
        ("rbac.authorization.k8s.io", "rolebindings"),
        ("rbac.authorization.k8s.io", "roles"),
    }
)
"""Types that a claim needs no identityHash for (kcp, pkg/admission/apiexport)."""
