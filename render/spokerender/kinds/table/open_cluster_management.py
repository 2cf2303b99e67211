"""The kinds that decide placements: Open Cluster Management's and SIG-Multicluster's.

Sources: open-cluster-management-io/api 1845fd8032e4, `cluster/`; kubernetes-sigs/
cluster-inventory-api ed3a9fefae18, `apis/v1alpha1`.
"""

from functools import partial

from spokerender.kinds.kind import Controller, Kind
from spokerender.model.refs import OCM

_inventory = partial(Kind, is_inventory=True)
_SIG = "multicluster.x-k8s.io"

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
)
