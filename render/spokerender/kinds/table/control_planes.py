"""The kinds that decide placements (Open Cluster Management, SIG-Multicluster), and those of kcp.

Sources: open-cluster-management-io/api 1845fd8032e4, `cluster/`; kubernetes-sigs/
cluster-inventory-api ed3a9fefae18, `apis/v1alpha1`; kcp-dev/kcp dac74f5; kcp-dev/api-syncagent
51995bd.
"""

from functools import partial

from spokerender.kinds.kind import Controller, Kind
from spokerender.model.refs import OCM

_inventory = partial(Kind, is_inventory=True)
_SIG = "multicluster.x-k8s.io"
_KCP = "apis.kcp.io"

CONTROLLERS: tuple[Controller, ...] = ()

KINDS: tuple[Kind, ...] = (
    _inventory(OCM, "ManagedCluster", ("v1",), namespaced=False),
    _inventory(OCM, "ManagedClusterSet", ("v1beta2",), namespaced=False),
    _inventory(OCM, "ManagedClusterSetBinding", ("v1beta2",)),
    _inventory(OCM, "Placement", ("v1beta1",)),
    _inventory(OCM, "PlacementDecision", ("v1beta1",)),
    _inventory(OCM, "AddOnPlacementScore", ("v1alpha1",)),
    _inventory(_SIG, "PlacementDecision", ("v1alpha1",)),
    _inventory(_SIG, "ClusterProfile", ("v1alpha1",)),
    # Whoever has bound an export loses its objects' API with the schema or the export.
    Kind(_KCP, "APIExport", ("v1alpha2", "v1alpha1"), namespaced=False, guarded=True),
    Kind(_KCP, "APIResourceSchema", ("v1alpha1",), namespaced=False, guarded=True),
    Kind(_KCP, "APIBinding", ("v1alpha2", "v1alpha1"), namespaced=False),
    Kind(
        "syncagent.kcp.io",
        "PublishedResource",
        ("v1alpha1",),
        namespaced=False,
        # Its documentation: the agent would have to delete and make anew what is in workspaces.
        immutable=("spec.resource", "spec.projection"),
    ),
)
