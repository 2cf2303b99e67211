"""The kinds of kcp and of its sync agent (kcp-dev/kcp dac74f5, kcp-dev/api-syncagent 51995bd)."""

from spokerender.kinds.kind import Controller, Kind

_APIS = "apis.kcp.io"

CONTROLLERS: tuple[Controller, ...] = ()

KINDS: tuple[Kind, ...] = (
    # Whoever has bound an export loses its objects' API with the schema or the export.
    Kind(_APIS, "APIExport", ("v1alpha2", "v1alpha1"), namespaced=False, guarded=True),
    Kind(_APIS, "APIResourceSchema", ("v1alpha1",), namespaced=False, guarded=True),
    Kind(_APIS, "APIBinding", ("v1alpha2", "v1alpha1"), namespaced=False),
    Kind(
        "syncagent.kcp.io",
        "PublishedResource",
        ("v1alpha1",),
        namespaced=False,
        # Its documentation: the agent would have to delete and make anew what is in workspaces.
        immutable=("spec.resource", "spec.projection"),
    ),
)
