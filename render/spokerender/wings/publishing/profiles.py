"""In what the releases of upstream's agent differ, as rows. No stage asks for a profile's name."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class Profile(Struct, frozen=True):
    """What one release of the agent does in its own way (kcp-dev/api-syncagent).

    `has_one_version`: a PublishedResource has one version, which is served and stored whatever
    the CRD says. `takes_exports_group`: every kind is in the export's group. `hashes_names`: a
    schema's name is a hash of the CRD's names and not of its spec. `labels_group`: a schema's label
    is its API group, and its annotations are the agent and generation 0. `export_version` is the
    APIExport's, where the hub has none. `keeps_older`: an export lists older schemas of a resource
    too. `sorts_by_schema`: in the order of their names. `claims_events`: it asks for events always.
    `claims_by_resource`: a claim of the same resource counts as there. `default_name` and
    `default_namespace` are of copies. `refuses_missing`: a regex or template on a path that is not
    there is an error. `original_remote`: in spec steps `RemoteObject` is the object before the
    first of them; else `LocalObject` is what they have made of it so far. `keeps_version`: a copy
    has the version that is selected, and not the one that is stored. `joins_lists_first`: `join`
    takes the list before the separator. `needs_related`: a path of a related object that leads
    nowhere is an error.
    """

    name: str
    default_name: str
    default_namespace: str
    export_version: str
    has_one_version: bool = False
    takes_exports_group: bool = False
    hashes_names: bool = False
    labels_group: bool = False
    keeps_older: bool = False
    sorts_by_schema: bool = False
    claims_events: bool = False
    claims_by_resource: bool = False
    refuses_missing: bool = False
    original_remote: bool = False
    keeps_version: bool = False
    joins_lists_first: bool = False
    needs_related: bool = False


_ROWS = (
    Profile(
        name="main",  # 51995bd
        default_name="{{ .Object.metadata.namespace | sha3short }}"
        "-{{ .Object.metadata.name | sha3short }}",
        default_namespace="{{ .ClusterName }}",
        export_version="v1alpha2",
        claims_events=True,
    ),
    Profile(
        name="v0.2",  # tag v0.2.0
        default_name="$remoteNamespaceHash-$remoteNameHash",
        default_namespace="$remoteClusterName",
        export_version="v1alpha1",
        has_one_version=True,
        takes_exports_group=True,
        hashes_names=True,
        labels_group=True,
        keeps_older=True,
        sorts_by_schema=True,
        claims_by_resource=True,
        refuses_missing=True,
        original_remote=True,
        keeps_version=True,
        joins_lists_first=True,
        needs_related=True,
    ),
)

PROFILES: Mapping[str, Profile] = {row.name: row for row in _ROWS}
"""All profiles, by the name that a publishing file gives them."""
