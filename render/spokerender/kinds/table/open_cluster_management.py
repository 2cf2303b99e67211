"""The kinds from which placements are decided: Open Cluster Management's, SIG-Multicluster's.

Sources: open-cluster-management-io/api 1845fd8032e4, `cluster/`; kubernetes-sigs/
cluster-inventory-api ed3a9fefae18, `apis/v1alpha1`.
"""

from functools import partial

from spokerender.kinds.kind import Controller, Kind

_inventory = partial(Kind, is_inventory=True)
_GROUP = "cluster.open-cluster-management.io"
_SIG = "multicluster.x-k8s.io"

CONTROLLERS: tuple[Controller, ...] = ()

KINDS: tuple[Kind, ...] = (
    _inventory(_GROUP, "ManagedCluster", ("v1",), namespaced=False),
    _inventory(_GROUP, "ManagedClusterSet", ("v1beta2",), namespaced=False),
    _inventory(_GROUP, "ManagedClusterSetBinding", ("v1beta2",)),
    _inventory(_GROUP, "Placement", ("v1beta1",)),
    _inventory(_GROUP, "PlacementDecision", ("v1beta1",)),
    _inventory(_GROUP, "AddOnPlacementScore", ("v1alpha1",)),
    _inventory(_SIG, "PlacementDecision", ("v1alpha1",)),
    _inventory(_SIG, "ClusterProfile", ("v1alpha1",)),
)
