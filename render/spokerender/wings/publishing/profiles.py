"""The differences between releases of upstream's agent, as rows; stages compare no names."""

from collections.abc import Mapping

from msgspec import Struct


class Profile(Struct, frozen=True):
    """The behaviour of one release of the agent (kcp-dev/api-syncagent); main's is the default."""

    name: str
    default_name: str
    """The template for names of copies."""
    default_namespace: str
    """The template for namespaces of copies."""
    export_version: str = "v1alpha2"
    """The version of an APIExport that the hub does not have."""
    has_one_version: bool = False  # one version is published, and it is served and stored
    takes_exports_group: bool = False  # every kind gets the group of the export
    hashes_names: bool = False  # a schema's name is a hash of the CRD's names, not of its spec
    labels_group: bool = False  # a schema's label is its API group, its source generation is 0
    keeps_older: bool = False  # an export also lists the older schemas of a resource
    claims_events: bool = True  # an export always claims events
    claims_by_resource: bool = False  # any claim of a resource counts, whatever its identityHash
    refuses_missing: bool = False  # a regex or template step fails if its path leads to nothing
    original_remote: bool = False
    """Templates of spec steps see the object before the first step as `RemoteObject`; otherwise
    they see the object so far as `LocalObject`."""
    keeps_version: bool = False  # a copy has the selected version instead of the stored one
    joins_lists_first: bool = False  # `join` takes the list before the separator
    needs_related: bool = False  # a path of a related object that leads to nothing is an error


_ROWS = (
    Profile(
        name="main",  # 51995bd
        default_name="{{ .Object.metadata.namespace | sha3short }}"
        "-{{ .Object.metadata.name | sha3short }}",
        default_namespace="{{ .ClusterName }}",
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
        claims_events=False,
        claims_by_resource=True,
        refuses_missing=True,
        original_remote=True,
        keeps_version=True,
        joins_lists_first=True,
        needs_related=True,
    ),
)

PROFILES: Mapping[str, Profile] = {row.name: row for row in _ROWS}
"""All profiles by name."""
