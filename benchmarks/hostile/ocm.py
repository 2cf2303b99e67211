"""What a team may put into a hub that Placements are decided from."""

from __future__ import annotations

from benchmarks.hostile.shape import HEAD, Files, document, gateway, listed, project, shapes

_OCM = "cluster.open-cluster-management.io"
_LABELLED = gateway().replace("infra}", f"infra, labels: {{{_OCM}/placement: p0}}}}", 1)
_BINDING = document(f"{_OCM}/v1beta2", "ManagedClusterSetBinding", "global", "{clusterSet: global}")


def _placement(number: int, spec: str) -> str:
    return document(f"{_OCM}/v1beta1", "Placement", f"p{number}", spec)


def _cluster(number: int, status: str = "{}") -> str:
    return (
        f"---\napiVersion: {_OCM}/v1\nkind: ManagedCluster\nmetadata: {{name: c{number}}}\n"
        f"spec: {{hubAcceptsClient: true}}\nstatus: {status}\n"
    )


def _hub(*objects: str) -> Files:
    placement = HEAD + "  rules: []\n"
    return project(gateway=_LABELLED, hub="".join((_BINDING, *objects)), placement=placement)


def placements_and_clusters(n: int) -> Files:
    """Every Placement looks at every cluster."""
    placements = listed(n, lambda i: _placement(i, "{}"), "")
    return _hub(placements, listed(2 * n, _cluster, ""))


def predicates_and_clusters(n: int) -> Files:
    """One Placement with as many predicates as clusters, none of which matches."""
    wanted = "{requiredClusterSelector: {labelSelector: {matchLabels: {a: b}}}}"
    predicates = listed(n, lambda _: wanted)
    return _hub(_placement(0, f"{{predicates: [{predicates}]}}"), listed(n, _cluster, ""))


def expressions_and_claims(n: int) -> Files:
    """Expressions that walk the claims of a cluster in the claims of a cluster."""
    loop = "managedCluster.status.clusterClaims.all(c, "
    selector = f'{{celSelector: {{celExpressions: ["{loop * 3}true)))"]}}}}'
    spec = f"{{predicates: [{{requiredClusterSelector: {selector}}}]}}"
    claims = listed(20, lambda i: f"{{name: n{i}, value: v}}")
    clusters = listed(n, lambda i: _cluster(i, f"{{clusterClaims: [{claims}]}}"), "")
    return _hub(listed(n, lambda i: _placement(i, spec), ""), clusters)


def groups_and_clusters(n: int) -> Files:
    """Decision groups, each of which looks at every cluster."""
    selector = "{labelSelector: {matchLabels: {a: b}}}"
    groups = listed(n, lambda i: f"{{groupName: g{i}, groupClusterSelector: {selector}}}")
    strategy = f"{{decisionStrategy: {{groupStrategy: {{decisionGroups: [{groups}]}}}}}}"
    return _hub(_placement(0, strategy), listed(n, _cluster, ""))


def taints_and_tolerations(n: int) -> Files:
    """Tolerations and taints, none of which fits another."""
    taints = listed(n, lambda i: f"{{key: k{i}, effect: NoSelect}}")
    tolerations = listed(n, lambda i: f"{{key: x{i}, operator: Exists}}")
    cluster = _cluster(0).replace("true}", f"true, taints: [{taints}]}}")
    return _hub(_placement(0, f"{{tolerations: [{tolerations}]}}"), cluster)


def selected_and_gateways(n: int) -> Files:
    """Gateways that all follow one Placement."""
    gateways = listed(n, lambda i: _LABELLED.replace("name: web,", f"name: w{i},", 1), "")
    return _hub(_placement(0, "{}"), gateways, listed(n, _cluster, ""))


def unknown_fields(n: int) -> Files:
    """A Placement with nothing but fields that it does not have."""
    fields = listed(n, lambda i: f"numberOfCluster{i}: 1")
    return _hub(_placement(0, f"{{{fields}}}"), _cluster(0))


def long_locks(n: int) -> Files:
    """A lock of many clusters that are all gone."""
    names = listed(n, lambda i: f"  - c{i}\n", "")
    lock = (
        "apiVersion: spokerender.io/v1alpha1\nkind: PlacementLock\n"
        f"placements:\n  infra/p0:\n{names}"
    )
    return {**_hub(_placement(0, "{}"), _cluster(0)), "placement.lock.yaml": lock}


SHAPES = shapes(
    "hub",
    placements_and_clusters,
    predicates_and_clusters,
    expressions_and_claims,
    groups_and_clusters,
    taints_and_tolerations,
    selected_and_gateways,
    unknown_fields,
    long_locks,
)
