"""A hub whose Placements place 20 gateways, each on half of the clusters."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path

GATEWAYS = 20
HEAD = "apiVersion: spokerender.io/v1alpha1\n"
_OCM = "apiVersion: cluster.open-cluster-management.io"
_EXPRESSION = (
    ", celSelector: {celExpressions: ['managedCluster.status.clusterClaims.exists("
    'c, c.name == "region" && c.value.startsWith("r"))\']}'
)


class PlacedBy(Enum):
    """The one who says where a gateway goes."""

    US = "us"
    HUB = "hub"
    EXPRESSIONS = "expressions"


def write_placed(folder: Path, clusters: int, by: PlacedBy) -> None:
    """Write a project."""
    (folder / "hub").mkdir(parents=True)
    (folder / "hub" / "hub.yaml").write_text("---\n".join(_objects(clusters, by)))
    (folder / "fleet.yaml").write_text(
        f"{HEAD}kind: Fleet\nspec:\n  policiesToSync: [{{group: kuadrant.io, kind: AuthPolicy}}]\n"
    )
    spokes, rules = "", ""
    if by is PlacedBy.US:
        names = [_name(number) for number in range(clusters)]
        spokes = "".join(f"  - name: {name}\n" for name in names)
        half = ", ".join(names[: clusters // 2])
        rules = "".join(
            f"  - {{gateways: {{names: [infra/g{number}]}}, spokes: {{names: [{half}]}}}}\n"
            for number in range(GATEWAYS)
        )
    placement = f"{HEAD}kind: Placement\nmetadata: {{name: all}}\nspec:\n"
    placement += f"  spokes:{spokes and chr(10)}{spokes or ' []' + chr(10)}"
    placement += f"  rules:{rules and chr(10)}{rules or ' []' + chr(10)}"
    (folder / "placement.yaml").write_text(placement)


def _objects(clusters: int, by: PlacedBy) -> Iterator[str]:
    for number in range(GATEWAYS):
        label = f", labels: {{cluster.open-cluster-management.io/placement: p{number}}}"
        yield (
            "apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\n"
            f"metadata: {{name: g{number}, namespace: infra{label * (by is not PlacedBy.US)}}}\n"
            "spec:\n  gatewayClassName: istio\n"
            "  listeners: [{name: http, port: 80, protocol: HTTP}]\n"
        )
    if by is PlacedBy.US:
        return
    yield (
        f"{_OCM}/v1beta2\nkind: ManagedClusterSetBinding\n"
        "metadata: {name: global, namespace: infra}\nspec: {clusterSet: global}\n"
    )
    expression = _EXPRESSION * (by is PlacedBy.EXPRESSIONS)
    selector = f"{{labelSelector: {{matchLabels: {{env: prod}}}}{expression}}}"
    for number in range(GATEWAYS):
        yield (
            f"{_OCM}/v1beta1\nkind: Placement\nmetadata: {{name: p{number}, namespace: infra}}\n"
            f"spec:\n  numberOfClusters: {clusters // 2}\n"
            f"  predicates: [{{requiredClusterSelector: {selector}}}]\n"
        )
    for number in range(clusters):
        yield (
            f"{_OCM}/v1\nkind: ManagedCluster\n"
            f"metadata: {{name: {_name(number)}, labels: {{env: prod, region: r{number % 7}}}}}\n"
            "spec: {hubAcceptsClient: true}\nstatus:\n  clusterClaims:\n"
            f"  - {{name: region, value: r{number % 7}}}\n  - {{name: id, value: id{number}}}\n"
            '  allocatable: {cpu: "16", memory: 64Gi}\n  capacity: {cpu: "16", memory: 64Gi}\n'
            "  version: {kubernetes: v1.33.1}\n"
        )


def _name(number: int) -> str:
    return f"c{number:04}"
